"""The book: the pages of docs/ with a reference of the command line and of the Python package, as a site (`make book`).

`pages` says which pages there are, `markdown` reads them, `command_line` and `python_names` write the generated ones,
`sources` puts everything where mdBook finds it, `links` follows every link, `browser` and `check` look at the site in
Chromium.
"""
