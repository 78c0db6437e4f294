"""The gallery: the pages of docs/gallery, run, checked and drawn.

    python -m gallery              # all pages
    python -m gallery log-contrast # some of them
    python -m gallery --write      # the answers on the pages become what is printed now
"""
