// Makes one merge with Google's own clients for Node: uploads a template to be
// converted, copies it, fills one tag of the copy, reads it and exports it.
// Usage: node merge.mjs document|presentation FILE TAG VALUE. What came of it
// is printed as JSON; merge_test.go judges it.
import { createReadStream } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.env.CLIENTS + "/");
const { drive: newDrive, auth: driveAuth } = require("@googleapis/drive");
const { docs: newDocs } = require("@googleapis/docs");
const { slides: newSlides } = require("@googleapis/slides");

const [kind, path, tag, value] = process.argv.slice(2);
const document = kind === "document";
const types = document
  ? ["application/vnd.google-apps.document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"]
  : ["application/vnd.google-apps.presentation", "application/vnd.openxmlformats-officedocument.presentationml.presentation"];

// A service account for the one, a user's refresh token for the other.
let auth;
if (document) {
  auth = new driveAuth.GoogleAuth({ keyFile: process.env.SERVICE_ACCOUNT, scopes: ["https://www.googleapis.com/auth/drive"] });
} else {
  auth = new driveAuth.OAuth2("client", "secret");
  auth.setCredentials({ refresh_token: process.env.REFRESH_TOKEN });
}
const drive = newDrive({ version: "v3", auth });
const docs = newDocs({ version: "v1", auth });
const slides = newSlides({ version: "v1", auth });

const template = await drive.files.create({
  requestBody: { name: "template", mimeType: types[0] },
  media: { mimeType: types[1], body: createReadStream(path) },
  fields: "id,mimeType",
});
const copy = await drive.files.copy({
  fileId: template.data.id,
  requestBody: { name: "copy", appProperties: { key: "k1" } },
  fields: "id,name,appProperties,webViewLink",
});
const found = await drive.files.list({ q: "appProperties has { key='key' and value='k1' } and trashed = false", fields: "files(id)" });
const id = copy.data.id;
const request = { requests: [{ replaceAllText: { containsText: { text: tag, matchCase: true }, replaceText: value } }] };
let filled, text;
if (document) {
  filled = await docs.documents.batchUpdate({ documentId: id, requestBody: request });
  const read = await docs.documents.get({ documentId: id, includeTabsContent: true });
  text = JSON.stringify(read.data.tabs[0].documentTab.body);
} else {
  filled = await slides.presentations.batchUpdate({ presentationId: id, requestBody: request });
  const read = await slides.presentations.get({ presentationId: id });
  text = JSON.stringify(read.data.slides);
}
const pdf = await drive.files.export({ fileId: id, mimeType: "application/pdf" }, { responseType: "arraybuffer" });
const shared = await drive.permissions.create({ fileId: id, requestBody: { type: "anyone", role: "reader" } });
await drive.files.delete({ fileId: template.data.id });
let gone = 0;
try {
  await drive.files.get({ fileId: template.data.id });
} catch (e) {
  gone = e.status ?? Number(e.code);
}
console.log(JSON.stringify({
  type: template.data.mimeType,
  found: found.data.files.map((f) => f.id === id),
  occurrences: filled.data.replies[0].replaceAllText.occurrencesChanged,
  filled: text.includes(JSON.stringify(value).slice(1, -1)) && !text.includes(tag),
  pdf: Buffer.from(pdf.data).toString("latin1", 0, 5),
  permission: shared.data.id,
  gone,
}));
