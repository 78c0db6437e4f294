"""The choice of features by this package and by others, on the same data: `make peers`.

Every instance runs in one process a method, on one thread, in CPU seconds; what is compared is F after the same refit.
Rows are kept as they come, so that an interrupted run goes on where it was; the page is written from them.
"""
