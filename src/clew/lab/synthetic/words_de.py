"""German words for each topic: its name, nouns by gender (der, die, das), stems of adjectives, participles.

Nouns stand in the nominative only, after an article, so that adjectives always end in -e. `_` stands for a blank.
"""

# ruff: noqa: E501 - tables of words

WORDS = {
    "lighthouses": (
        "Leuchttürme",
        "Leuchtturm Leuchtturmwärter Turm Nebel Felsen", "Laterne Lampe Linse Küste Kennung", "Leuchtfeuer Nebelhorn Feuerschiff Licht",
        "alt drehend weiß abgelegen", "gezündet gelöscht automatisiert restauriert",
    ),
    "shipping": (
        "Schifffahrt",
        "Frachter Kapitän Tanker Container Rumpf", "Reederei Ladung Fracht Flotte Besatzung", "Schiff Deck Seeregister Frachtgut",
        "seetüchtig schwer beladen groß", "verladen gechartert verschrottet umgeleitet",
    ),
    "coasts": (
        "Küsten",
        "Strand Küstenpfad Deich Sand Wanderweg", "Küste Klippe Düne Bucht Gezeit", "Watt Ufer Kliff Vorland",
        "steil sandig windig geschützt", "abgetragen geschützt überflutet vermessen",
    ),
    "harbours": (
        "Häfen",
        "Hafen Kai Kran Hafenmeister Anleger", "Mole Werft Fähre Hafeneinfahrt Boje", "Hafenbecken Dock Lotsenboot Lagerhaus",
        "tief belebt alt verschlickt", "ausgebaggert vertieft erweitert verpachtet",
    ),
    "fishing": (
        "Fischerei",
        "Kutter Fischer Hering Fang Köder", "Fischerei Makrele Quote Angel Reuse", "Fischernetz Netz Fischerboot Meer",
        "frisch geräuchert überfischt klein", "gefangen gesalzen geräuchert versteigert",
    ),
    "sailing": (
        "Segeln",
        "Segler Mast Kiel Kompass Wind", "Jacht Regatta Jolle Pinne Takelage", "Segel Ruder Boot Vorsegel",
        "schnell böig erfahren gerefft", "gerefft gesegelt gekentert getrimmt",
    ),
    "railways": (
        "Eisenbahn",
        "Zug Bahnhof Fahrplan Bahnsteig Tunnel", "Eisenbahn Lokomotive Strecke Weiche Schiene", "Gleis Signal Stellwerk Bahnbetriebswerk",
        "schmalspurig elektrisch stillgelegt pünktlich", "elektrifiziert stillgelegt wiedereröffnet gekuppelt",
    ),
    "trams": (
        "Straßenbahnen",
        "Triebwagen Beiwagen Betriebshof Schaffner Fahrdraht", "Straßenbahn Haltestelle Linie Oberleitung Wendeschleife",
        "Depot Gleis Straßenbahnnetz Liniennetz",
        "niederflurig städtisch elektrisch historisch", "verlängert eingestellt umgeleitet restauriert",
    ),
    "bridges": (
        "Brücken",
        "Brückenpfeiler Bogen Träger Pylon Stahl", "Brücke Hängebrücke Spannweite Fahrbahn Fuge", "Brückenbauwerk Widerlager Viadukt Geländer",
        "schlank hölzern beweglich mittelalterlich", "überspannt verstärkt gesprengt saniert",
    ),
    "canals": (
        "Kanäle",
        "Kanal Treidelpfad Lastkahn Schleusenwärter Damm", "Schleuse Kanalbrücke Schifffahrt Böschung Haltung",
        "Schleusentor Hebewerk Wehr Kanalbett",
        "schiffbar schmal verlandet breit", "ausgebaggert geflutet verbreitert aufgegeben",
    ),
    "cycling": (
        "Radfahren",
        "Radweg Radfahrer Sattel Lenker Reifen", "Kette Felge Schaltung Radtour Bremse", "Fahrrad Rad Pedal Tandem",
        "leicht bergig gepflastert sportlich", "geradelt geflickt geschaltet gewartet",
    ),
    "bread": (
        "Brot",
        "Sauerteig Teig Backofen Bäcker Laib", "Kruste Krume Hefe Bäckerei Mühle", "Brot Mehl Roggenbrot Brötchen",
        "knusprig dunkel frisch locker", "gebacken geknetet gemahlen geformt",
    ),
    "cheese": (
        "Käse",
        "Käse Käser Keller Laib Stall", "Rinde Molke Käserei Milch Alm", "Lab Salzbad Käsetuch Rohmilchgut",
        "reif würzig cremig hart", "gereift gepresst gesalzen geräuchert",
    ),
    "wine": (
        "Wein",
        "Wein Winzer Weinberg Jahrgang Keller", "Traube Rebe Lese Flasche Kelter", "Weingut Fass Etikett Anbaugebiet",
        "trocken mineralisch fruchtig spät", "gekeltert vergoren abgefüllt gelesen",
    ),
    "beer": (
        "Bier",
        "Brauer Hopfen Sud Schaum Gärkeller", "Brauerei Maische Hefe Gerste Würze", "Bier Malz Fass Sudhaus",
        "herb untergärig dunkel naturtrüb", "gebraut vergoren gezapft abgefüllt",
    ),
    "tea": (
        "Tee",
        "Tee Aufguss Teemeister Teegarten Kessel", "Teekanne Teezeremonie Tasse Pflückung Sorte", "Teeblatt Teehaus Sieb Aroma",
        "grün duftend gedämpft herb", "aufgegossen gepflückt gerollt geröstet",
    ),
    "gardens": (
        "Gärten",
        "Garten Gärtner Rasen Kompost Strauch", "Rose Hecke Staude Blumenzwiebel Erde", "Beet Gewächshaus Saatgut Hochbeet",
        "blühend schattig winterhart gepflegt", "gepflanzt geschnitten gegossen gesät",
    ),
    "bees": (
        "Bienen",
        "Imker Bienenstock Honig Schwarm Pollen", "Biene Königin Wabe Imkerei Milbe", "Bienenvolk Wachs Rähmchen Flugloch",
        "sanftmütig wild summend überwintert", "geschleudert gefüttert eingefangen überwintert",
    ),
    "birds": (
        "Vögel",
        "Vogel Kranich Reiher Gesang Schwarm", "Eule Feder Brut Vogelwarte Amsel", "Nest Gefieder Fernglas Schutzgebiet",
        "selten nachtaktiv singend ziehend", "beringt gezählt beobachtet gesichtet",
    ),
    "forests": (
        "Wälder",
        "Wald Förster Baum Borkenkäfer Forst", "Buche Eiche Lichtung Fichte Rinde", "Holz Unterholz Sägewerk Moos",
        "dicht naturnah alt gemischt", "gefällt aufgeforstet durchforstet geschlagen",
    ),
    "mushrooms": (
        "Pilze",
        "Pilz Pfifferling Steinpilz Hut Stiel", "Morchel Lamelle Spore Pilzsuche Trüffel", "Pilzgericht Myzel Laub Pilzbuch",
        "essbar giftig schleimig herbstlich", "gesammelt bestimmt getrocknet gebraten",
    ),
    "astronomy": (
        "Astronomie",
        "Stern Planet Komet Mond Spiegel", "Sternwarte Galaxie Finsternis Umlaufbahn Kuppel", "Teleskop Sternbild Okular Spektrum",
        "hell fern veränderlich lichtschwach", "beobachtet entdeckt vermessen fotografiert",
    ),
    "weather": (
        "Wetter",
        "Regen Sturm Wetterbericht Frost Luftdruck", "Wolke Vorhersage Wetterstation Front Hitze", "Wetter Barometer Gewitter Thermometer",
        "stürmisch wechselhaft mild feucht", "vorhergesagt gemessen aufgezeichnet gewarnt",
    ),
    "optics": (
        "Optik",
        "Lichtstrahl Laser Spiegel Filter Optiker", "Linse Brennweite Beugung Wellenlänge Blende", "Mikroskop Prisma Objektiv Glas",
        "durchsichtig konvex scharf vergütet", "geschliffen poliert gebündelt justiert",
    ),
    "photography": (
        "Fotografie",
        "Fotograf Film Abzug Auslöser Entwickler", "Kamera Dunkelkammer Aufnahme Belichtung Linse", "Foto Negativ Stativ Porträt",
        "schwarzweiß körnig unscharf dokumentarisch", "entwickelt belichtet vergrößert gerahmt",
    ),
    "radio": (
        "Funk",
        "Sender Empfänger Rundfunk Funker Mast", "Antenne Frequenz Kurzwelle Röhre Sendung", "Radio Signal Rufzeichen Rauschen",
        "drahtlos stark analog tragbar", "gesendet empfangen abgestimmt gestört",
    ),
    "chess": (
        "Schach",
        "Bauer Läufer Turm Springer Zug", "Eröffnung Dame Rochade Partie Variante", "Schach Endspiel Schachbrett Turnier",
        "taktisch remis isoliert schnell", "geopfert mattgesetzt rochiert analysiert",
    ),
    "castles": (
        "Burgen",
        "Burggraben Bergfried Ritter Turm Burghof", "Burg Ruine Zugbrücke Belagerung Mauer", "Schloss Burgtor Verlies Wappen",
        "mittelalterlich befestigt verfallen trutzig", "belagert befestigt geschleift wiederaufgebaut",
    ),
    "museums": (
        "Museen",
        "Kurator Katalog Rundgang Leihgeber Saal", "Ausstellung Sammlung Vitrine Führung Leihgabe", "Museum Exponat Depot Gemälde",
        "dauerhaft kostbar ständig selten", "ausgestellt gestiftet restauriert inventarisiert",
    ),
    "pottery": (
        "Keramik",
        "Töpfer Brennofen Ton Krug Teller", "Töpferei Glasur Schale Vase Scherbe", "Steinzeug Porzellan Gefäß Muster",
        "glasiert gebrannt handgedreht rissig", "gebrannt glasiert gedreht bemalt",
    ),
    "weaving": (
        "Weberei",
        "Webstuhl Weber Faden Stoff Teppich", "Weberei Kette Wolle Spindel Seide", "Schiffchen Garn Muster Leinen",
        "handgewebt gefärbt gestreift grob", "gewebt gesponnen gefärbt gewalkt",
    ),
    "printing": (
        "Buchdruck",
        "Drucker Bleisatz Setzkasten Einband Holzschnitt", "Druckerpresse Schrift Letter Druckerei Auflage", "Buch Papier Blatt Druckwerk",
        "gebunden gesetzt kursiv gedruckt", "gedruckt gesetzt gebunden gefalzt",
    ),
    "clocks": (
        "Uhren",
        "Uhrmacher Zeiger Pendelschlag Gang Stundenschlag", "Uhr Taschenuhr Unruh Feder Turmuhr", "Pendel Zifferblatt Uhrwerk Zahnrad",
        "genau vergoldet astronomisch schlagend", "aufgezogen repariert reguliert vergoldet",
    ),
    "organs": (
        "Orgeln",
        "Orgelbauer Organist Prospekt Choral Spieltisch", "Orgel Pfeife Windlade Empore Mixtur", "Register Pedal Manual Rückpositiv",
        "barock romantisch verstimmt zweimanualig", "gestimmt intoniert eingeweiht rekonstruiert",
    ),
    "violins": (
        "Geigen",
        "Geigenbauer Bogen Steg Lack Wirbel", "Geige Violine Saite Bratsche Schnecke", "Cello Griffbrett Quartett Ahornholz",
        "klangvoll handgeschnitzt italienisch gestimmt", "gespielt lackiert besaitet geschnitzt",
    ),
    "volcanoes": (
        "Vulkane",
        "Vulkan Ausbruch Krater Schlot Bimsstein", "Lava Asche Caldera Eruption Magmakammer", "Magma Erdbeben Gestein Observatorium",
        "aktiv erloschen glühend explosiv", "ausgebrochen überwacht verschüttet evakuiert",
    ),
    "caves": (
        "Höhlen",
        "Stalaktit Höhlenforscher Schacht Gang Kalkstein", "Höhle Tropfsteinhöhle Fledermaus Kammer Grotte", "Höhlensystem Sinterbecken Karstgebiet Seil",
        "dunkel unterirdisch eng unerforscht", "erforscht vermessen durchtaucht kartiert",
    ),
    "minerals": (
        "Minerale",
        "Kristall Quarz Bergmann Stollen Edelstein", "Mine Erzader Stufe Grube Sammlung", "Mineral Erz Bergwerk Kupfer",
        "kristallin durchscheinend selten sechseckig", "abgebaut geschliffen gesammelt bestimmt",
    ),
    "fossils": (
        "Fossilien",
        "Ammonit Dinosaurier Knochen Abdruck Schädel", "Versteinerung Schicht Grabung Muschel Fundstelle", "Fossil Skelett Präparat Erdzeitalter",
        "ausgestorben versteinert urzeitlich marin", "ausgegraben präpariert datiert freigelegt",
    ),
    "census": (
        "Statistik",
        "Haushalt Zensus Anteil Landkreis Fragebogen", "Bevölkerung Statistik Erhebung Volkszählung Tabelle", "Statistikamt Jahrbuch Merkmal Ergebnis",
        "amtlich vorläufig jährlich ländlich", "gezählt erhoben geschätzt veröffentlicht",
    ),
    "windpower": (
        "Windkraft",
        "Windpark Rotor Netzanschluss Turm Antrag", "Windkraftanlage Turbine Genehmigung Gondel Leistung", "Rotorblatt Fundament Gutachten Umspannwerk",
        "genehmigt erneuerbar küstennah geplant", "genehmigt errichtet angeschlossen zurückgebaut",
    ),
    "waterworks": (
        "Wasserwerke",
        "Brunnen Wasserturm Filter Hochbehälter Druck", "Wasserleitung Pumpe Quelle Aufbereitung Talsperre", "Wasserwerk Trinkwasser Rohr Grundwasser",
        "sauber hart kommunal undicht", "gefiltert gepumpt aufbereitet beprobt",
    ),
    "maps": (
        "Landkarten",
        "Atlas Maßstab Kartograf Globus Breitengrad", "Landkarte Karte Legende Höhenlinie Vermessung", "Kartenblatt Gradnetz Relief Kataster",
        "topografisch gefaltet genau gestochen", "kartiert vermessen gestochen koloriert",
    ),
    "climbing": (
        "Klettern",
        "Gipfel Kletterer Grat Haken Bergsteiger", "Route Seilschaft Wand Hütte Tour", "Seil Biwak Klettern Steigeisen",
        "steil ausgesetzt alpin vereist", "bestiegen gesichert gerettet erklommen",
    ),
    "jobs": (
        "Stellen", "Bewerber Vertrag Termin Lohn", "Stelle Bewerbung Abteilung Ausbildung", "Gehalt Gespräch Team Büro",
        "befristet qualifiziert neu offen", "ausgeschrieben eingestellt besetzt befördert",
    ),
    "council": (
        "Rathaus", "Stadtrat Haushalt Antrag Parkplatz", "Sitzung Satzung Wahl Straße", "Rathaus Protokoll Amt Bauvorhaben",
        "städtisch öffentlich neu einstimmig", "beschlossen vertagt abgelehnt beraten",
    ),
    "results": (
        "Sport", "Sieg Trainer Pokal Verein", "Mannschaft Liga Saison Tabelle", "Spiel Tor Ergebnis Stadion",
        "knapp spät verdient torlos", "gewonnen verloren erzielt abgestiegen",
    ),
    "offers": (
        "Angebote", "Preis Gutschein Versand Warenkorb", "Bestellung Marke Lieferung Auswahl", "Angebot Produkt Geschenk Lager",
        "günstig neu beliebt begrenzt", "bestellt geliefert reduziert verkauft",
    ),
    "hotels": (
        "Urlaub", "Gast Balkon Aufenthalt Wirt", "Pension Terrasse Buchung Küche", "Hotel Zimmer Frühstück Restaurant",
        "ruhig gemütlich zentral sonnig", "gebucht renoviert empfohlen serviert",
    ),
    "health": (
        "Gesundheit", "Arzt Termin Schlaf Patient", "Praxis Behandlung Bewegung Impfung", "Medikament Krankenhaus Symptom Rezept",
        "gesund täglich sanft chronisch", "behandelt verschrieben untersucht empfohlen",
    ),
    "schools": (
        "Schule", "Lehrer Schüler Unterricht Ausflug", "Schule Klasse Prüfung Projektwoche", "Schuljahr Zeugnis Fach Schulfest",
        "gemeinsam kreativ neu stolz", "unterrichtet geprobt besucht ausgezeichnet",
    ),
    "computing": (
        "Rechner", "Rechner Browser Server Speicher", "Datei Software Sicherung Tastatur", "Passwort Programm Netzwerk Forum",
        "sicher langsam frei veraltet", "installiert aktualisiert gelöscht gespeichert",
    ),
}  # fmt: skip

GENERAL = (
    "Tag Ort Teil Weg Verein Bericht Besuch Abend Grund Plan Name Platz Sommer Winter Gast Freund Brief",
    "Zeit Seite Straße Stadt Geschichte Frage Woche Arbeit Gruppe Idee Familie Liste Tour Nachricht Gegend Tradition",
    "Jahr Haus Beispiel Ende Dorf Bild Buch Wochenende Fest Treffen Projekt Zimmer Gebäude Museumsfest Archiv Leben",
    "neu alt gut klein groß lang kurz früh spät bekannt einfach wichtig besonder örtlich ehemalig regelmäßig",
    "gebaut benutzt gefunden gezeigt beschrieben geöffnet verschoben erwähnt gesammelt begonnen besucht vorbereitet",
)  # fmt: skip
"""Nouns by gender, adjectives and participles for everything."""
