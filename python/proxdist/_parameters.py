"""Parameters of sets as scikit-learn wants them, so that grids can speak of ``constraint__keep``."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any


class Parametric(type):
    """The type of classes whose objects remember what they were made from."""

    @property
    def __signature__(cls) -> inspect.Signature:
        """That of ``__init__``."""
        signature = inspect.signature(cls.__init__)  # type: ignore[misc]
        return signature.replace(parameters=list(signature.parameters.values())[1:], return_annotation=cls)

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        """Makes an object. What can be gone through once only is gone through here."""
        arguments = tuple(list(value) if isinstance(value, Iterator) else value for value in arguments)
        named = {name: list(value) if isinstance(value, Iterator) else value for name, value in named.items()}
        made = super().__call__(*arguments, **named)
        bound = cls.__signature__.bind(*arguments, **named)
        bound.apply_defaults()
        made._given = dict(bound.arguments)
        return made


class Parameters(metaclass=Parametric):
    """``get_params`` and ``set_params``, as estimators have them."""

    _given: dict[str, Any]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """What the set was made from, by name; with ``deep``, also the parameters of sets in it."""
        found = dict(self._given)
        if deep:
            for name, value in self._given.items():
                if isinstance(value, Parameters):
                    found |= {f"{name}__{inner}": part for inner, part in value.get_params().items()}
        return found

    def set_params(self, **parameters: Any) -> Any:
        """Makes the set anew from other values of some parameters, in its place. Returns it."""
        given = dict(self._given)
        for name, value in parameters.items():
            outer, _, inner = name.partition("__")
            if outer not in given or (inner and not isinstance(given[outer], Parameters)):
                known = ", ".join(given) or "none"
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; there are: {known}")
            given[outer] = given[outer].set_params(**{inner: value}) if inner else value
        made = type(self)(**given)
        self.__dict__.clear()
        self.__dict__.update(made.__dict__)
        return self
