// Writes the tables of write.py with exceljs, SheetJS, papaparse and csv-stringify.
const fs = require('fs'), path = require('path');
const [out, modules] = process.argv.slice(2);
const use = require('module').createRequire(path.join(path.resolve(modules), 'programs.js'));
const sheets = JSON.parse(fs.readFileSync(0));
const made = (file, encoding = 'utf-8', delimiter = 'comma') => console.log(file, encoding, delimiter);

async function byExcelJS(name, { names, rows }) {
	const ExcelJS = use('exceljs');
	for (const how of ['plain', 'shared', '1904']) {
		const book = new ExcelJS.Workbook();
		if (how === '1904') book.properties.date1904 = true;
		const sheet = book.addWorksheet('Rows', how === 'shared' ? { views: [{ state: 'frozen', ySplit: 1 }] } : {});
		sheet.addRow(names);
		for (const row of rows) sheet.addRow(row);
		if (how === 'shared' && name === 'plain') sheet.mergeCells('B2:B3');
		const file = `exceljs-${how}-${name}.xlsx`;
		await book.xlsx.writeFile(path.join(out, file));
		made(file);
	}
}

function bySheetJS(name, { names, rows }) {
	const XLSX = use('xlsx');
	const sheet = XLSX.utils.aoa_to_sheet([names, ...rows]);
	const book = XLSX.utils.book_new();
	XLSX.utils.book_append_sheet(book, sheet, 'Rows');
	for (const [how, options] of [['plain', {}], ['shared', { bookSST: true }], ['packed', { compression: true }]]) {
		const file = `sheetjs-${how}-${name}.xlsx`;
		XLSX.writeFile(book, path.join(out, file), { bookType: 'xlsx', ...options });
		made(file);
	}
	fs.writeFileSync(path.join(out, `sheetjs-csv-${name}.csv`), XLSX.utils.sheet_to_csv(sheet));
	made(`sheetjs-csv-${name}.csv`);
	fs.writeFileSync(path.join(out, `sheetjs-text-${name}.csv`), '\ufeff' + XLSX.utils.sheet_to_csv(sheet, { FS: ';' }));
	made(`sheetjs-text-${name}.csv`, 'utf-8-sig', 'semicolon');
}

function byPapaparse(name, { names, rows }) {
	const Papa = use('papaparse');
	const rowsAsText = rows.map((row) => row.map((v) => (v === null ? '' : v)));
	for (const [how, options, delimiter] of [['plain', {}, 'comma'], ['quoted', { quotes: true, delimiter: ';' }, 'semicolon'], ['tab', { delimiter: '\t', newline: '\n' }, 'tab']]) {
		const file = `papaparse-${how}-${name}.csv`;
		fs.writeFileSync(path.join(out, file), Papa.unparse({ fields: names, data: rowsAsText }, options));
		made(file, 'utf-8', delimiter);
	}
}

function byStringify(name, { names, rows }) {
	const { stringify } = use('csv-stringify/sync');
	for (const [how, options, encoding, delimiter] of [['plain', {}, 'utf-8', 'comma'], ['bom', { bom: true, delimiter: ';', record_delimiter: 'windows' }, 'utf-8-sig', 'semicolon']]) {
		const file = `stringify-${how}-${name}.csv`;
		fs.writeFileSync(path.join(out, file), stringify([names, ...rows], options));
		made(file, encoding, delimiter);
	}
}

(async () => {
	for (const [name, sheet] of Object.entries(sheets)) {
		await byExcelJS(name, sheet);
		bySheetJS(name, sheet);
		byPapaparse(name, sheet);
		byStringify(name, sheet);
	}
})();
