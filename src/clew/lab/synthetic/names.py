"""Proper names: places with their postal codes, people, streets, and what organisations call themselves."""

# ruff: noqa: E501 - tables of words

PLACES = {
    "en": (
        "Hartland Point|EX39, Whitby|YO22, Kinsale|P17, Portsoy|AB45, Cromer|NR27, Aldeburgh|IP15, Oban|PA34, Tenby|SA70, "
        "Ludlow|SY8, Hexham|NE46, Buxton|SK17, Marlow|SL7, Skipton|BD23, Penryn|TR10, Bantry|P75, Dunbar|EH42, "
        "Rye Bay|TN31, Lynmouth|EX35, Arbroath|DD11, Morpeth|NE61, Wells|BA5, Kendal|LA9, Stromness|KW16, Blakeney|NR25, "
        "Clevedon|BS21, Fowey|PL23, Nairn|IV12, Saltash|PL12, Malton|YO17, Ely|CB7, Barmouth|LL42, Thurso|KW14, "
        "Cobh|P24, Sherborne|DT9, Alnwick|NE66, Southwold|IP18, Selkirk|TD7, Crickhowell|NP8, Totnes|TQ9, Ballycastle|BT54, "
        "Wick|KW1, Bosham|PO18, Frome|BA11, Keswick|CA12, Tobermory|PA75, Maldon|CM9, Beverley|HU17, Lerwick|ZE1"
    ),
    "de": (
        "Kiel|24103, Husum|25813, Lübeck|23552, Emden|26721, Stralsund|18439, Weimar|99423, Görlitz|02826, Bamberg|96047, "
        "Passau|94032, Marburg|35037, Celle|29221, Goslar|38640, Freiberg|09599, Wismar|23966, Füssen|87629, Trier|54290, "
        "Meißen|01662, Konstanz|78462, Aurich|26603, Detmold|32756, Speyer|67346, Cuxhaven|27472, Greifswald|17489, Ansbach|91522, "
        "Torgau|04860, Soest|59494, Fulda|36037, Landshut|84028, Itzehoe|25524, Verden|27283, Zwickau|08056, Rottweil|78628"
    ),
    "ja": (
        "函館|040-0053|北海道函館市末広町, 小樽|047-0031|北海道小樽市色内, 仙台|980-0811|宮城県仙台市青葉区一番町, 銚子|288-0045|千葉県銚子市三軒町, "
        "横浜|231-0023|神奈川県横浜市中区山下町, 鎌倉|248-0006|神奈川県鎌倉市小町, 金沢|920-0856|石川県金沢市昭和町, 京都|600-8001|京都府京都市下京区四条通, "
        "神戸|650-0042|兵庫県神戸市中央区波止場町, 尾道|722-0035|広島県尾道市土堂, 松江|690-0843|島根県松江市末次本町, 高知|780-0870|高知県高知市本町, "
        "長崎|850-0921|長崎県長崎市松が枝町, 鹿児島|892-0816|鹿児島県鹿児島市山下町, 那覇|900-0015|沖縄県那覇市久茂地, 松本|390-0874|長野県松本市大手, "
        "高山|506-0011|岐阜県高山市本町, 弘前|036-8356|青森県弘前市下白銀町, 酒田|998-0043|山形県酒田市本町, 萩|758-0041|山口県萩市江向, "
        "東京港|105-0011|東京都港区芝公園, 浅草|111-0032|東京都台東区浅草, 静岡|420-0853|静岡県静岡市葵区追手町, 倉敷|710-0046|岡山県倉敷市中央"
    ),
    "fr": (
        "Saint-Malo|35400, Quimper|29000, Honfleur|14600, Annecy|74000, Colmar|68000, Arles|13200, Dinan|22100, Beaune|21200, "
        "Royan|17200, Cahors|46000, Bayonne|64100, Chartres|28000, Brest|29200, Albi|81000, Menton|06500, Laon|02000"
    ),
}  # fmt: skip

ROMAN = [
    "hakodate",
    "otaru",
    "sendai",
    "choshi",
    "yokohama",
    "kamakura",
    "kanazawa",
    "kyoto",
    "kobe",
    "onomichi",
    "matsue",
    "kochi",
    "nagasaki",
    "kagoshima",
    "naha",
    "matsumoto",
    "takayama",
    "hirosaki",
    "sakata",
    "hagi",
    "minato",
    "asakusa",
    "shizuoka",
    "kurashiki",
]
"""The Japanese places as host names spell them."""

FAMILY = {
    "en": "Miller Harper Doyle Whitaker Penrose Aldridge Mercer Quinn Fairley Osborne Tregear Lockhart Bramley Sutcliffe "
    "Marsh Kingsley Dawson Pryce Hollis Renwick Carver Blythe Thorne Ashdown",
    "de": "Petersen Hansen Lindner Vogt Brandt Reimers Köhler Seidel Albrecht Franke Jessen Wulff Hartmann Ziegler Kramer Busch",
    "ja": "佐藤 高橋 田中 渡辺 伊藤 小林 加藤 吉田 山口 松本 井上 木村 清水 森田 石川 藤井",
    "fr": "Moreau Lefèvre Garnier Rousseau Chevalier Fontaine Marchand Leclerc Perrin Gauthier Renaud Barbier",
}

GIVEN = {
    "en": "Edith Thomas Margaret Arthur Ruth Samuel Clara Henry Ada Walter Joan Peter Nora Hugh Alice Frank",
    "de": "Anna Karl Gerda Hinrich Lotte Johann Frieda Ernst Marta Otto Elke Jürgen",
    "ja": "健一 由美 正雄 和子 博 恵子 直樹 幸子 一郎 美穂",
    "fr": "Louise Henri Jeanne Émile Claire Marcel Odette Pierre Lucie Antoine",
}

STREETS = {
    "en": "High Street,Quay Road,Mill Lane,Church Walk,Station Road,Castle Street,Bridge Street,Market Place,Chapel Hill,"
    "Old Post Road,Green Lane,Harbour Terrace",
    "de": "Hafenstraße,Am Markt,Bahnhofstraße,Mühlenweg,Kirchgasse,Lange Straße,Gartenweg,Am Alten Deich,Schulstraße,Burgstraße",
    "ja": "1-2,2-8,3-14,4-5,1-17,5-3,2-21,6-9",
    "fr": "rue du Port,rue de la Gare,place du Marché,quai des Tanneurs,rue Haute,chemin du Moulin,avenue de la République",
}

# What stands in a host's name beside its topic or its place.
BODIES = {
    "en": "trust society club notes archive guild review journal house works company online friends press union group "
    "studio weekly diary network centre institute world corner register forum collective agency project gazette",
    "de": "verein freunde archiv blatt werk portal haus gilde welt magazin stiftung kreis bund forum rundschau kontor",
    "ja": "sanpo kan club nikki kai tsushin shop bunko annai kenkyu joho techo dayori navi",
    "fr": "amis revue club maison cahiers atelier guide passion info carnet",
}

ENDINGS = {
    "en": "org com net org.uk co.uk info com org ie com",
    "de": "de de de org net at ch de",
    "ja": "jp co.jp or.jp ne.jp jp com",
    "fr": "fr fr org com",
}

# Words for hosts that say nothing: brands, rivers, made-up companies.
BRANDS = [
    "alder",
    "amber",
    "anvil",
    "arbor",
    "aster",
    "atlas",
    "basalt",
    "bellwether",
    "birch",
    "bramble",
    "bright",
    "cairn",
    "cedar",
    "cobalt",
    "comet",
    "copper",
    "crest",
    "delta",
    "dovetail",
    "drift",
    "ember",
    "falcon",
    "fable",
    "fern",
    "field",
    "flint",
    "fresh",
    "galleon",
    "granite",
    "grove",
    "hatch",
    "hazel",
    "heron",
    "hollow",
    "horizon",
    "indigo",
    "iris",
    "ivory",
    "juniper",
    "kestrel",
    "lantern",
    "lark",
    "ledger",
    "lighthouse",
    "lime",
    "linden",
    "loom",
    "lumen",
    "lyra",
    "maple",
    "marlin",
    "meadow",
    "mercury",
    "meridian",
    "mill",
    "monarch",
    "mosaic",
    "north",
    "oak",
    "ochre",
    "onyx",
    "orchard",
    "otter",
    "paper",
    "pebble",
    "pepper",
    "pilot",
    "pine",
    "plum",
    "prism",
    "quarry",
    "quill",
    "raven",
    "reed",
    "ridge",
    "river",
    "robin",
    "rook",
    "rowan",
    "sable",
    "saffron",
    "sage",
    "signal",
    "slate",
    "sparrow",
    "spindle",
    "spruce",
    "stellar",
    "stone",
    "summit",
    "swift",
    "tally",
    "tandem",
    "teal",
    "thistle",
    "timber",
    "topaz",
    "vale",
    "vector",
    "velvet",
    "vista",
    "walnut",
    "wicker",
    "willow",
    "wren",
    "yarrow",
    "zephyr",
]

# Words of slugs that mean nothing for the topic; 128 of them, so that two are a number below 16,384.
SLUGS = (
    "quiet morning letter grey early second notes from an old summer visit small matter about friends winter plans open "
    "door several things worth keeping long road home some news after all new start bright side first look short story "
    "month review local people week seven days best wishes looking back what happened next time evening thoughts half way "
    "there answers reader corner photo album minutes annual report dear all spring update few words hidden corners last "
    "chance three reasons why ordinary sunday table talk paper trail second hand good company under rain plain facts odd "
    "jobs inside story late arrival common questions fresh eyes simple rules more light better days quick tour slow food "
    "lost found work weekend guide big little brief history far near true colour sound advice blank page lucky find"
)  # fmt: skip


def _distinct(words: str) -> list[str]:
    return list(dict.fromkeys(words.split()))


_MORE_SLUGS = (
    "again almost always apple april august autumn basket between beyond blue box button candle change chapter circle "
    "city clear close cloud coffee count cover detail dinner double east effort"
)
SLUG_WORDS = _distinct(f"{SLUGS} {_MORE_SLUGS}")[:128]


def places(lang: str) -> list[tuple[str, ...]]:
    """Return the places of a language: name, postal code and, in Japan, the address down to the street."""
    return [tuple(entry.split("|")) for entry in PLACES[lang].split(", ")]


def ascii_slug(text: str) -> str:
    """Spell a name with plain letters, as host names and paths do."""
    plain = text.lower().translate(_PLAIN)
    return "".join(c for c in plain if c.isascii() and (c.isalnum() or c == "-"))


_PLAIN = str.maketrans({
    "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "è": "e", "ê": "e", "â": "a", "ô": "o", "î": "i", "ç": "c",
    " ": "-", "_": "-", "'": "", "À": "a",
})  # fmt: skip
