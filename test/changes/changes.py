#!/usr/bin/env python3
"""What changed between editions of a register, straight from the published files.

  changes.py [--net] MARKET DATE=FILE[,FILE...] DATE=FILE...

MARKET is fr (FR and DROM), ca, be or ch. Editions are given oldest first. Each change is one line,
with tabs between market, date, kind, site, operator, system, before and after. --net compares the
first edition with the last one only. The script needs nothing but Python 3, and shares no code with
relais: it follows the descriptions of the formats and of the changes.
"""
import csv
import hashlib
import html
import json
import math
import re
import sys
import unicodedata


def fold(text):
    text = unicodedata.normalize("NFD", text.strip().casefold())
    return "".join(c for c in text if not unicodedata.combining(c))


def words(text):
    return re.findall(r"[^\W_]+", fold(text))


class State:
    """Sites by (market, id): the position, and for (operator, system) the most advanced status."""

    def __init__(self):
        self.place, self.systems = {}, {}

    def add(self, site, place, operator, system, status, ranks):
        self.place[site] = place
        systems = self.systems.setdefault(site, {})
        old = systems.get((operator, system))
        if old is None or ranks.index(status) > ranks.index(old):
            systems[operator, system] = status


def metres(a, b):
    la, lb = math.radians(a[0]), math.radians(b[0])
    d = math.radians(b[1] - a[1])
    s = math.sin((lb - la) / 2) ** 2 + math.cos(la) * math.cos(lb) * math.sin(d / 2) ** 2
    return 2 * 6371008.8 * math.asin(math.sqrt(s))


def differences(before, after):
    """Yields (market, kind, site, operator, system, before, after)."""
    shown = lambda p: "%.7f,%.7f" % p
    for site in before.place.keys() | after.place.keys():
        market, name = site
        p, q = before.place.get(site), after.place.get(site)
        old, new = before.systems.get(site, {}), after.systems.get(site, {})
        if p is None:
            yield market, "site-added", name, "", "", "", ""
        elif q is None:
            yield market, "site-removed", name, "", "", "", ""
        elif metres(p, q) > 5:
            yield market, "moved", name, "", "", shown(p), shown(q)
        was, now = {o for o, _ in old}, {o for o, _ in new}
        for operator in now - was:
            yield market, "operator-added", name, operator, "", "", ""
        for operator in was - now:
            yield market, "operator-removed", name, operator, "", "", ""
        for key in old.keys() | new.keys():
            if key not in old:
                yield market, "system-added", name, *key, "", new[key]
            elif key not in new:
                yield market, "system-removed", name, *key, old[key], ""
            elif old[key] != new[key]:
                yield market, "status-changed", name, *key, old[key], new[key]


# France

ANFR_STATUSES = ["Projet approuvé", "Techniquement opérationnel", "En service"]
METROPOLE = {"sfr": "SFR", "bouygues telecom": "BOUYGUES", "orange": "ORANGE", "free mobile": "FREE"}
OVERSEAS = {"orange": "ORANGE", "free caraibes": "FREE_CARAIBES", "digicel": "DIGICEL", "srr": "SRR",
            "outremer telecom": "OUTREMER_TELECOM", "telco oi": "TELCO_OI", "zeop": "ZEOP",
            "maore mobile": "MAORE_MOBILE"}
SECOND = 1 / 3600 + 1e-7


def french_market(row):
    department = row["sta_nm_dpt"] or (row["code_insee"] or row["com_cd_insee"]).zfill(5)[:3]
    if department in ("971", "972", "973", "974", "976"):
        return "DROM", OVERSEAS
    if re.fullmatch(r"0(0[1-9]|[1-8]\d|9[0-5]|2[AB])", department) and department != "020":
        return "FR", METROPOLE
    return None, {}


def degrees(row):
    if row["coordonnees"]:
        return tuple(round(float(x), 7) for x in row["coordonnees"].split(","))
    out = []
    for d, m, s, side in re.findall(r"(\d+)°(\d+)'([\d.,]+)''([NSEWO])", row["coord"]):
        x = int(d) + int(m) / 60 + float(s.replace(",", ".")) / 3600
        out.append(round(-x if side in "SWO" else x, 7))
    return tuple(out)


def territory(market, place):
    lat, lng = place
    if market == "FR":
        return 41 <= lat <= 51.5 and -5.6 <= lng <= 9.8
    return -22 <= lat <= 19 and -64 <= lng <= 56.5


def fr(files):
    supports = {}  # by number: market, position and rows of each place, in the order of the file
    statuses = {fold(s): s for s in ANFR_STATUSES}
    for name in files:
        with open(name, encoding="utf-8-sig", newline="") as f:
            for row in csv.DictReader(f, delimiter=";"):
                market, operators = french_market(row)
                operator, status = operators.get(fold(row["adm_lb_nom"])), statuses.get(fold(row["statut"]))
                place = degrees(row)
                if (not operator or not status or row["generation"] not in ("2G", "3G", "4G", "5G")
                        or not row["emr_lb_systeme"] or not row["sup_id"].isdigit() or not place
                        or not territory(market, place)):
                    continue
                places = supports.setdefault(int(row["sup_id"]), [])
                for known, at, rows in places:
                    if known == market and abs(at[0] - place[0]) <= SECOND and abs(at[1] - place[1]) <= SECOND:
                        break
                else:
                    rows = []
                    places.append((market, place, rows))
                rows.append((operator, row["emr_lb_systeme"], status))
    state = State()
    for number, places in supports.items():
        market, place, rows = max(places, key=lambda p: len(p[2]))  # the first of the longest
        for operator, system, status in rows:  # of rows of one key the most advanced is served, as of stations
            state.add((market, str(number)), place, operator, system, status, ANFR_STATUSES)
    return state


# Canada

CA_BANDS = {"CELL": "850", "PCS": "1900", "PCSG": "1900", "AWS": "1700", "AWS-3": "1700", "BRS": "2500",
            "MBS": "700", "600B": "600", "3500B": "3500"}
CA_TECHNOLOGIES = ("GSM", "HSPA", "LTE", "5GNR", "5GDSS")


def licensee(name):
    of = words(name)
    if of[:1] == ["bell"] and of[1:2] and of[1] in ("mobility", "canada", "aliant", "mts") or "mts" in of:
        return "BELL"
    for word, operator in (("rogers", "ROGERS"), ("fido", "ROGERS"), ("telus", "TELUS"),
                           ("videotron", "VIDEOTRON_FREEDOM"), ("freedom", "VIDEOTRON_FREEDOM")):
        if word in of:
            return operator
    return "REGIONAL"


def ca(files):
    state = State()
    for name in files:
        with open(name, encoding="utf-8-sig", newline="") as f:
            rows = csv.reader(f)
            header = [c.rstrip("*") for c in next(rows)]
            for row in rows:
                row = dict(zip(header, (c if c != "-" else "" for c in row)))
                band = CA_BANDS.get(row["licence_category"])
                if not band or row["technology"] not in CA_TECHNOLOGIES or not row["latitude"]:
                    continue
                lat, lng = (round(float(row[c]) * 1e5) for c in ("latitude", "longitude"))
                if not (41 <= lat / 1e5 <= 84 and -142 <= lng / 1e5 <= -52):
                    continue
                operator = licensee(row["licensee_name"])
                site = hashlib.sha256(("%s %d %d" % (operator, lat, lng)).encode()).hexdigest()[:16]
                state.add(("CA", site), (lat / 1e5, lng / 1e5), operator, row["technology"] + " " + band, "", [""])
    return state


# Switzerland

CH_CLASSES = ["", "Temporary station", "Indoor ≤ 6 Werp", "Tunnel", "Outdoor ≤ 6 Werp", "Outdoor > 6 Werp"]
CH_OPERATORS = {"Swisscom": "SWISSCOM_CH", "Sunrise": "SUNRISE_CH", "Salt": "SALT_CH"}
CH_SYSTEMS = {"2G": "GSM", "3G": "UMTS", "4G": "LTE", "5G": "NR"}


def from_lv95(e, n):
    y, x = (e - 2600000) / 1e6, (n - 1200000) / 1e6
    lng = 2.6779094 + 4.728982 * y + 0.791484 * y * x + 0.1306 * y * x * x - 0.0436 * y ** 3
    lat = (16.9023892 + 3.238272 * x - 0.270978 * y * y - 0.002528 * x * x - 0.0447 * y * y * x - 0.0140 * x ** 3)
    return lat * 100 / 36, lng * 100 / 36


def ch(files):
    best = {}
    for name in files:
        with open(name, encoding="utf-8") as f:
            for feature in json.load(f)["features"]:
                p = feature["properties"]
                station = " ".join(html.unescape(p["station"]).split())
                operator = CH_OPERATORS.get(station.split(" ")[0])
                if not operator or " " not in station:
                    continue
                sheet = re.search(r"\d{4}-\d\d-\d\d$", p["bewilligung_en"])
                sheet = sheet[0] if sheet else ""
                site = station.lower().replace(" ", "-")
                if site not in best or best[site][0] < sheet:
                    best[site] = (sheet, operator, feature)
    state = State()
    for site, (_, operator, feature) in best.items():
        p = feature["properties"]
        place = from_lv95(*feature["geometry"]["coordinates"])
        systems = [CH_SYSTEMS[g] for g in re.findall(r"\b[2-5]G\b", p["techno_en"])] or [""]
        for system in systems:
            state.add(("CH", site), place, operator, system, html.unescape(p["typ_en"]), CH_CLASSES)
    return state


# Belgium

BE_STATUSES = ["", "A", "O"]
BE_OPERATORS = {"proximus": "PROXIMUS_BE", "telenet": "TELENET_BASE_BE", "base": "TELENET_BASE_BE",
                "orange": "ORANGE_BE", "mobistar": "ORANGE_BE", "citymesh": "CITYMESH_BE",
                "belgacom": "PROXIMUS_BE"}


def from_lambert72(x, y):
    a, f = 6378388.0, 1 / 297
    e = math.sqrt(2 * f - f * f)
    phi1, phi2, lam0 = (math.radians(d) for d in (49.8333339, 51.16666723333333, 4.367486666666666))
    m = lambda p: math.cos(p) / math.sqrt(1 - (e * math.sin(p)) ** 2)
    t = lambda p: math.tan(math.pi / 4 - p / 2) / ((1 - e * math.sin(p)) / (1 + e * math.sin(p))) ** (e / 2)
    n = (math.log(m(phi1)) - math.log(m(phi2))) / (math.log(t(phi1)) - math.log(t(phi2)))
    g = m(phi1) / (n * t(phi1) ** n)
    dx, dy = x - 150000.013, 5400088.438 - y
    r = math.hypot(dx, dy)
    lam = math.atan2(dx, dy) / n + lam0
    tt = (r / (a * g)) ** (1 / n)
    phi = math.pi / 2 - 2 * math.atan(tt)
    for _ in range(20):
        phi = math.pi / 2 - 2 * math.atan(tt * ((1 - e * math.sin(phi)) / (1 + e * math.sin(phi))) ** (e / 2))
    nu = a / math.sqrt(1 - (e * math.sin(phi)) ** 2)
    px, py = nu * math.cos(phi) * math.cos(lam), nu * math.cos(phi) * math.sin(lam)
    pz = nu * (1 - e * e) * math.sin(phi)
    rx, ry, rz = (math.radians(s / 3600) for s in (0.3366, -0.457, 1.8422))
    s = 1 - 1.2747e-6
    qx = -106.8686 + s * (px - rz * py + ry * pz)
    qy = 52.2978 + s * (rz * px + py - rx * pz)
    qz = -103.7239 + s * (-ry * px + rx * py + pz)
    a, f = 6378137.0, 1 / 298.257223563
    e2 = 2 * f - f * f
    p = math.hypot(qx, qy)
    phi = math.atan2(qz, p * (1 - e2))
    for _ in range(20):
        nu = a / math.sqrt(1 - e2 * math.sin(phi) ** 2)
        phi = math.atan2(qz + e2 * nu * math.sin(phi), p)
    return math.degrees(phi), math.degrees(math.atan2(qy, qx))


def belgian(name):
    return next((BE_OPERATORS[w] for w in words(name) if w in BE_OPERATORS), None)


def be(files):
    dossiers, sites = {}, {}
    for name in files:
        with open(name, encoding="utf-8-sig") as f:
            data = json.load(f)
        if isinstance(data, dict):
            for feature in data["features"]:
                p = feature["properties"]
                operator = belgian(p["operatornaam"])
                if operator:
                    dossiers[int(p["id"])] = (feature["geometry"]["coordinates"], operator)
        else:
            for p in data:
                owners = [p.get("Eigenaar%d" % i) for i in range(1, 16)]
                owners = [belgian(html.unescape(o).split(":")[0]) for o in owners if o]
                if p["Status"] in ("A", "O") and any(owners):
                    sites[int(p["ID"])] = ((float(p["X"]), float(p["Y"])), [o for o in owners if o], p["Status"])
    places = []  # id, position, operators with their status

    def place(at, name):
        for p in places:
            if math.dist(p[1], at) <= 10:
                return p
        places.append((name, at, []))
        return places[-1]

    for number, (at, operator) in sorted(dossiers.items()):
        place(at, str(number))[2].append((operator, ""))
    for number, (at, operators, status) in sorted(sites.items()):
        place(at, "bipt-%d" % number)[2].extend((o, status) for o in operators)
    state = State()
    for name, at, operators in places:
        for operator, status in operators:
            state.add(("BE", name), from_lambert72(*at), operator, "", status, BE_STATUSES)
    return state


def main(args):
    net = args[:1] == ["--net"]
    market, *editions = args[net:]
    read = {"fr": fr, "ca": ca, "be": be, "ch": ch}[market]
    if net:
        editions = [editions[0], editions[-1]]
    before, out = None, []
    for edition in editions:
        date, files = edition.split("=", 1)
        after = read(files.split(","))
        if before is not None:
            for market, kind, *rest in differences(before, after):
                out.append("\t".join((market, date, kind, *rest)))
        before = after
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write("".join(line + "\n" for line in sorted(out)))


if __name__ == "__main__":
    main(sys.argv[1:])
