"""The pages and the REST interface of `clew serve`: look at crawls, teach them, start and stop them.

`app` puts it together; `guard` keeps strangers out; `operations` is the table of everything that can be
asked, which both the pages and /api/v1 use; one module for each page computes what it shows.
"""
