"""Files for crawlers: robots.txt, sitemaps and feeds."""

from clew.lab.synthetic.page_frame import has_feed, has_sitemap
from clew.lab.synthetic.site import Site
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path

_IN_SITEMAP = 200
_IN_FEED = 15


def robots(site: Site) -> str | None:
    """Return a host's robots.txt, None where it has none."""
    if site.has_trait(60, 16):
        return None
    rules = ["User-agent: *"]
    if site.front > PageKind.LOGIN:
        rules += [f"Disallow: {path(site, UrlTarget(kind))}" for kind in (PageKind.SEARCH, PageKind.LOGIN)]
    closed = closed_section(site)
    if closed >= 0:
        rules.append(f"Disallow: {path(site, UrlTarget(PageKind.LIST, closed))}")
    if site.has_trait(61, 4):
        rules.append("Crawl-delay: 1")
    if len(rules) == 1:
        rules.append("Disallow:")
    if has_sitemap(site):
        rules.append(f"\nSitemap: http://{site.name}/sitemap.xml")
    return "\n".join(rules) + "\n"


def closed_section(site: Site) -> int:
    """Return the section that robots may not read, -1 for none; only where it has a folder of its own."""
    if site.style not in {0, 1, 2, 6} or len(site.sections) < 3 or not site.has_trait(62, 14):  # noqa: PLR2004
        return -1
    return len(site.sections) - 1


def sitemap(site: Site) -> str | None:
    """Return a host's sitemap: its lists and its first pages."""
    if not has_sitemap(site):
        return None
    targets = [UrlTarget(PageKind.HOME)]
    for section in site.sections:
        if section.number == closed_section(site):
            continue
        targets.append(UrlTarget(PageKind.LIST, section.number))
        targets += [
            UrlTarget(PageKind.CONTENT, section.number, position)
            for position in range(min(section.count, 40))
        ]
    rows = "".join(
        f"<url><loc>http://{site.name}{path(site, target).replace('&', '&amp;')}</loc></url>\n"
        for target in targets[:_IN_SITEMAP]
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
    )


def feed(site: Site) -> str | None:
    """Return a host's feed: its latest pages."""
    if not has_feed(site):
        return None
    section = site.sections[0]
    rows = []
    for position in range(section.count - 1, max(-1, section.count - 1 - _IN_FEED), -1):
        url = f"http://{site.name}{path(site, UrlTarget(PageKind.CONTENT, 0, position))}".replace(
            "&", "&amp;"
        )
        rows.append(
            f"<item><title>{section.title_of(position, site.lang)}</title><link>{url}</link></item>\n"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>'
        f"<title>{site.title}</title><link>http://{site.name}/</link>\n{''.join(rows)}</channel></rss>\n"
    )
