"""Rows by autoscraper, for comparison: run by another Python that has it (see bench/records.py).

Reads one JSON object from standard input: columns, the five example rows, pages (address, markup). Learns one wrapper from
the pages that contain all values of an example, applies it to every page, and writes rows by page.
"""

import json
import sys

from autoscraper import AutoScraper


def main() -> None:
    request = json.load(sys.stdin)
    columns, pages = request["columns"], request["pages"]
    scraper = AutoScraper()
    trained = 0
    for row in request["examples"]:
        page = next((html for _, html in pages if all(f">{value}<" in html for value in row)), None)
        if page is None:
            page = next((html for _, html in pages if all(value in html for value in row)), None)
        if page is not None:
            wanted = {name: [value] for name, value in zip(columns, row, strict=True)}
            try:
                scraper.build(html=page, wanted_dict=wanted, update=True)
                trained += 1
            except Exception:  # noqa: BLE001 - its own faults count as no rows
                continue
    rows = {}
    for url, html in pages:
        rows[url] = _rows(scraper, html, columns) if trained else []
    json.dump({"rows": rows, "taught": trained}, sys.stdout)


def _rows(scraper: AutoScraper, html: str, columns: list[str]) -> list[list[str]]:
    try:
        exact = scraper.get_result_exact(html=html, group_by_alias=True)
        similar = scraper.get_result_similar(html=html, group_by_alias=True, keep_blank=False)
    except Exception:  # noqa: BLE001 - its own faults count as no rows
        return []
    many = [similar.get(name, []) for name in columns]
    if min(map(len, many)) > 1 and len(set(map(len, many))) == 1:
        return [list(row) for row in zip(*many, strict=True)]
    one = [exact.get(name, [""]) for name in columns]
    return [[values[0] if values else "" for values in one]] if any(one) else []


if __name__ == "__main__":
    main()
