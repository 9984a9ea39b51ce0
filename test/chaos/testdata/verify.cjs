// Verifies attempts to deliver, one JSON object on each line of standard input,
// and prints how many were good and what was said of the others.
const { Webhook } = require("standardwebhooks");

const refused = [];
let verified = 0;
const now = Date.now;
for (const line of require("fs").readFileSync(0, "utf8").split("\n")) {
  if (line === "") continue;
  const attempt = JSON.parse(line);
  Date.now = () => attempt.arrivedAt; // the library refuses what is old
  try {
    new Webhook(attempt.secret).verify(attempt.body, attempt.headers);
    verified++;
  } catch (e) {
    refused.push(`${attempt.headers["webhook-id"]}: ${e.message}`);
  }
}
Date.now = now;
console.log(JSON.stringify({ verified, refused }));
