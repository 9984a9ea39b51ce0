// Prints what Intl, which is ICU, writes in each locale of a request on standard input:
// {"locales": {"de-AT": ["EUR"]}, "numbers": [1.5]}. The first line of the answer has the
// releases, and each of the others a locale that ICU knows, with a text for each number,
// share and amount.
const { locales, numbers } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const out = [JSON.stringify({ node: process.version, icu: process.versions.icu, cldr: process.versions.cldr })];
for (const [locale, currencies] of Object.entries(locales)) {
  if (new Intl.NumberFormat(locale).resolvedOptions().locale !== locale) continue;
  const texts = {};
  const write = (name, options) => {
    const format = new Intl.NumberFormat(locale, options);
    for (const n of numbers) texts[name + " " + n] = format.format(n);
  };
  write("number", { maximumFractionDigits: 3 });
  write("percent", { style: "percent", maximumFractionDigits: 1 });
  for (const currency of currencies) write(currency, { style: "currency", currency });
  out.push(JSON.stringify({ locale, texts }));
}
process.stdout.write(out.join("\n") + "\n");
