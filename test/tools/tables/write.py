"""Writes tables with other people's programs, and what other people's readers find in them.

    python3 write.py folder node_modules

folder gets the files, rows.json with the rows of each, and programs.zip with all of them, for
internal/table/testdata. The rows are those of other readers: of workbooks as openpyxl reads them, of
CSV files as Python's csv does. Needs Debian's python3-openpyxl, python3-xlsxwriter,
gnumeric, sqlite3 and node, and exceljs, xlsx, papaparse and csv-stringify of npm. What a
program does not take is left out.
"""
import csv, datetime, json, os, subprocess, sys, zipfile

import openpyxl, xlsxwriter

D, T, DT = datetime.date, datetime.time, datetime.datetime

# Sheets: names of columns, and rows of values. Texts, numbers, dates, booleans and nothing.
SHEETS = {
    "plain": (["Name", "City", "Amount"], [["Ada", "Kiel", 12.5], ["Bob", "Ulm", 7], ["Cyd", "Graz", -3.25]]),
    "umlauts": (["Näme", "Straße", "Preis €"], [["Jürgen", "Große Gasse 1", 1234.5], ["Žofie", "Náměstí 2", 0.1], ["山田", "東京", 5]]),
    "quotes": (["Name", "Note"], [['She said "no"', "a, b; c"], ["two\nlines", "tab\there"], ["'apostrophe'", "back\\slash"]]),
    "dates": (["Name", "Born", "Met"], [["Ada", D(1915, 12, 10), DT(2026, 1, 31, 12, 30)], ["Bob", D(2000, 2, 29), DT(1999, 12, 31, 23, 59, 59)], ["Cyd", D(2024, 3, 1), DT(2026, 6, 1, 0, 0, 1)]]),
    "holes": (["A", "B", "C"], [["x", None, 1], [None, "y", None], ["z", "w", 3]]),
    "nested": (["No", "Customer.Name", "Items.Name", "Items.Price"], [["R1", "Ada", "Tea", 1.5], ["R1", "Ada", "Milk", 2], ["R2", "Bob", "Rum", 3]]),
    "codes": (["Zip", "Phone", "IBAN"], [["01067", "+49 30 1234", "DE02120300000000202051"], ["00000", "0049 30", "AT611904300234573201"]]),
    "truths": (["Name", "Paid"], [["Ada", True], ["Bob", False]]),
    "numbers": (["N"], [[0], [0.1 + 0.2], [19.99], [1e-3], [123456789012345], [-0.5], [1e20]]),
    "long": (["No", "Text"], [[i, "row %d of many" % i] for i in range(1, 301)]),
    "wide": (["C%d" % i for i in range(1, 61)], [[i * j for i in range(1, 61)] for j in range(1, 4)]),
    "spaces": (["Name ", " City"], [[" Ada ", "Kiel"], ["Bob", " Ulm"]]),
}

OUT, MODULES = sys.argv[1], sys.argv[2]
rows = {}


def text(v):
    """A value as a CSV file has it."""
    if v is None:
        return ""
    if isinstance(v, bool):
        return "TRUE" if v else "FALSE"
    if isinstance(v, DT):
        return v.isoformat(sep=" ")
    if isinstance(v, (D, T)):
        return v.isoformat()
    return repr(v) if isinstance(v, float) else str(v)


def add(names, values):
    """The object of a row: no member for a cell without anything."""
    o = {}
    for name, v in zip(names, values):
        if v is None or v == "":
            continue
        at, path = o, name.split(".")
        for part in path[:-1]:
            at = at.setdefault(part, {})
        at[path[-1]] = v
    return o


def shown(v):
    """A value of openpyxl as our rows have it."""
    if isinstance(v, bool) or v is None or isinstance(v, int):
        return v
    if isinstance(v, float):
        return float("%.15g" % v)
    if isinstance(v, DT):
        return v.date().isoformat() if v.time() == T() else v.isoformat()
    if isinstance(v, (D, T)):
        return v.isoformat()
    return str(v).strip()


def judge_xlsx(name):
    book = openpyxl.load_workbook(os.path.join(OUT, name), data_only=True)
    sheet = next(s for s in book.worksheets if s.sheet_state == "visible")
    merged = {}
    for area in sheet.merged_cells.ranges:
        for r in range(area.min_row + 1, area.max_row + 1):
            merged[(r, area.min_col)] = sheet.cell(area.min_row, area.min_col).value
    table = [[merged.get((c.row, c.column), c.value) if hasattr(c, "column") else None for c in r] for r in sheet.iter_rows()]
    names = [" ".join(str(v).split()) if v is not None else "" for v in table[0]]
    found = [add(names, [shown(v) for v in r]) for r in table[1:]]
    rows[name] = {"rows": [o for o in found if o]}


def judge_csv(name, encoding, delimiter, skip=0, say=None):
    with open(os.path.join(OUT, name), encoding=encoding, newline="") as f:
        for _ in range(skip):
            f.readline()
        table = list(csv.reader(f, delimiter=delimiter))
    names = [" ".join(n.split()) for n in table[0]]
    found = [add(names, [v.strip() for v in r]) for r in table[1:]]  # cells are read without the spaces around them
    rows[name] = {"rows": [o for o in found if o]}
    if say:
        rows[name]["encoding"] = say


def path(name):
    return os.path.join(OUT, name)


def by_python(name, names, table):
    for how, encoding, say, dialect in [
        ("excel", "utf-8", None, {}), ("excel-bom", "utf-8-sig", None, {"delimiter": ";"}), ("tab", "utf-16", None, {"delimiter": "\t"}),
        ("unix", "utf-8", None, {"quoting": csv.QUOTE_ALL, "lineterminator": "\n"}), ("cp1252", "cp1252", "windows-1252", {"delimiter": ";"}), ("bar", "utf-8", None, {"delimiter": "|"}),
    ]:
        file = "python-%s-%s.csv" % (how, name)
        try:
            with open(path(file), "w", encoding=encoding, newline="") as f:
                w = csv.writer(f, **dialect)
                w.writerow(names)
                w.writerows([[text(v) for v in r] for r in table])
        except UnicodeEncodeError:
            os.remove(path(file))
            continue
        judge_csv(file, encoding, dialect.get("delimiter", ","), say=say)


def by_sap(name, names, table):
    """As lists are saved from SAP: semicolons, decimal commas, a sign behind."""
    def sap(v):
        if isinstance(v, bool):
            return "X" if v else ""
        if isinstance(v, (int, float)):
            return ("%.2f" % abs(v)).replace(".", ",") + ("-" if v < 0 else "")
        if isinstance(v, (DT, D)):
            return v.strftime("%d.%m.%Y")
        return text(v)
    file = "sap-%s.csv" % name
    with open(path(file), "w", encoding="utf-8-sig", newline="") as f:
        w = csv.writer(f, delimiter=";", quoting=csv.QUOTE_MINIMAL)
        w.writerow(names)
        w.writerows([[sap(v) for v in r] for r in table])
    judge_csv(file, "utf-8-sig", ";")


def by_openpyxl(name, names, table):
    for how in ["plain", "1904", "styled"]:
        book = openpyxl.Workbook(write_only=False)
        if how == "1904":
            book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
        sheet = book.active
        sheet.title = "Rows"
        sheet.append(names)
        for r in table:
            sheet.append(r)
        if how == "styled":
            sheet.freeze_panes = "A2"
            sheet.auto_filter.ref = sheet.dimensions
            for cell in sheet[1]:
                cell.font = openpyxl.styles.Font(bold=True)
            book.create_sheet("Other").append(["not", "read"])
        file = "openpyxl-%s-%s.xlsx" % (how, name)
        book.save(path(file))
        judge_xlsx(file)


def by_xlsxwriter(name, names, table):
    for how, options in [("plain", {}), ("1904", {"date_1904": True}), ("constant", {"constant_memory": True}), ("inline", {"in_memory": True, "strings_to_numbers": False})]:
        file = "xlsxwriter-%s-%s.xlsx" % (how, name)
        book = xlsxwriter.Workbook(path(file), options)
        sheet = book.add_worksheet("Rows")
        day, moment = book.add_format({"num_format": "dd.mm.yyyy"}), book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        for i, r in enumerate([names] + table):
            for j, v in enumerate(r):
                if isinstance(v, DT):
                    sheet.write_datetime(i, j, v, moment)
                elif isinstance(v, D):
                    sheet.write_datetime(i, j, v, day)
                elif isinstance(v, str):
                    sheet.write_string(i, j, v)
                elif v is not None:
                    sheet.write(i, j, v)
        if how == "plain" and name == "plain":
            sheet.write_formula(1, 3, "=C2*2", None, 25)
            sheet.write_string(0, 3, "Twice")
        book.close()
        judge_xlsx(file)


def by_gnumeric(name):
    """Each workbook and CSV file of others, saved by Gnumeric."""
    for source, kind, exporter in [
        ("openpyxl-plain-%s.xlsx", "xlsx", "Gnumeric_Excel:xlsx"), ("openpyxl-plain-%s.xlsx", "2.xlsx", "Gnumeric_Excel:xlsx2"), ("xlsxwriter-1904-%s.xlsx", "1904.xlsx", "Gnumeric_Excel:xlsx"),
        ("openpyxl-plain-%s.xlsx", "csv", "Gnumeric_stf:stf_csv"), ("python-excel-%s.csv", "from-csv.xlsx", "Gnumeric_Excel:xlsx"),
    ]:
        if not os.path.exists(path(source % name)):
            continue
        file = "gnumeric-%s-%s" % (name, kind if "." in kind else "saved." + kind)
        done = subprocess.run(["ssconvert", "-T", exporter, path(source % name), path(file)], capture_output=True)
        if done.returncode != 0:
            print("gnumeric:", file, done.stderr[-200:])
            continue
        if file.endswith(".csv"):
            judge_csv(file, "utf-8", ",")
        else:
            judge_xlsx(file)


def by_sqlite(name, names, table):
    file = "sqlite-%s.csv" % name
    columns = ", ".join('"%s"' % n for n in names)
    script = "CREATE TABLE t (%s);\n" % columns
    for r in table:
        script += "INSERT INTO t VALUES (%s);\n" % ", ".join("NULL" if v is None else "'" + text(v).replace("'", "''") + "'" for v in r)
    done = subprocess.run(["sqlite3", "-csv", "-header", ":memory:"], input=script + "SELECT * FROM t;", capture_output=True, text=True)
    if done.returncode == 0:
        with open(path(file), "w", newline="") as f:
            f.write(done.stdout)
        judge_csv(file, "utf-8", ",")


def by_node():
    sheets = {name: {"names": names, "rows": [[text(v) if isinstance(v, (DT, D)) else v for v in r] for r in table]} for name, (names, table) in SHEETS.items()}
    done = subprocess.run(["node", os.path.join(os.path.dirname(os.path.abspath(__file__)), "write.cjs"), OUT, MODULES], input=json.dumps(sheets), capture_output=True, text=True)
    if done.returncode != 0:
        print("node:", done.stderr[-2000:])
    for line in done.stdout.splitlines():
        file, encoding, delimiter = line.split(" ")
        if file.endswith(".xlsx"):
            judge_xlsx(file)
        else:
            judge_csv(file, encoding, {"comma": ",", "semicolon": ";", "tab": "\t"}[delimiter])


for name, (names, table) in SHEETS.items():
    by_python(name, names, table)
    by_sap(name, names, table)
    by_openpyxl(name, names, table)
    by_xlsxwriter(name, names, table)
    by_sqlite(name, names, table)
    by_gnumeric(name)
by_node()
with open(path("rows.json"), "w") as f:
    json.dump(rows, f, ensure_ascii=False, indent=1, sort_keys=True)
with zipfile.ZipFile(path("programs.zip"), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
    for name in sorted([*rows, "rows.json"]):
        entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        with open(path(name), "rb") as f:
            z.writestr(entry, f.read())
programs = {}
for file in rows:
    programs.setdefault(file.split("-")[0], []).append(file)
for program, files in sorted(programs.items()):
    print("%4d %s" % (len(files), program))
print("%4d files" % len(rows))
