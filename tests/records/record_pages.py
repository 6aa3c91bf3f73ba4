"""Small pages with records, as people write them."""

BOOKS = [
    ("A. F. Cardenas", "Data Base Management Systems"),
    ("C. J. Date", "An Introduction to Database Systems"),
    ("D. Maier", "The Theory of Relational Databases"),
    ("H. S. Kunii", "Graph Data Model and Its Data Language"),
    ("R. G. G. Cattell", "Object Data Management"),
    ("J. D. Ullman", "Principles of Database Systems"),
    ("M. Stonebraker", "The Ingres Papers"),
    ("J. Gray", "Transaction Processing Concepts"),
    ("P. A. Bernstein", "Concurrency Control and Recovery"),
    ("E. F. Codd", "The Relational Model for Database Management"),
]
COLUMNS = ("author", "title")
FIVE = BOOKS[:5]


def page(body, title="Books"):
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>"


def listed(books, item='<li class="b"><b>{1}</b> by <i>{0}</i></li>'):
    return page("<ul>" + "".join(item.format(*book) for book in books) + "</ul>")


def table(books):
    rows = "".join(
        f"<tr><td>{n}</td><td>{title}</td><td>{author}</td></tr>" for n, (author, title) in enumerate(books)
    )
    return page(f"<table><tbody><tr><td>no</td><td>title</td><td>author</td></tr>{rows}</tbody></table>")


def detail(author, title, also=()):
    more = "".join(f"<li>{name}</li>" for name in also)
    return page(
        f'<div class="main"><h2 class="t">{title}</h2><p><b>Publisher:</b> <span>Springer</span></p>'
        f"<p><b>Author:</b> <span>{author}</span></p></div><ul>{more}</ul>",
        f"{title} - the shop",
    )


def rows_of(table):
    return [table.values(row) for row in range(len(table))]
