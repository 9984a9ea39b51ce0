package conformance

// title is the specification's.
func title(section string) string {
	return map[string]string{
		"2.1": "Workflow", "2.2": "Source", "2.3": "Document (template configuration)", "2.4": "OutgoingWebhook",
		"3": "States and transitions", "4": "Endpoints", "4.1": "Workflows", "4.2": "Documents", "4.3": "Outgoing webhook",
		"4.4": "Source", "4.5": "Source webhook (data ingestion)", "5": "Authentication", "6": "Events", "7": "Errors", "9": "Versioning",
	}[section]
}

func rows() []row {
	return []row{
		{"2.1", "id", "string with prefix `wkf_`; not editable; names the workflow in all requests", workflowID},
		{"2.1", "name", "string; editable", workflowName},
		{"2.1", "color", "hex string with `#`; editable", workflowColor},
		{"2.1", "icon", "string; editable", workflowIcon},
		{"2.1", "status", "one of COMPLETE, INCOMPLETE, ARCHIVED; not editable", workflowStatus},
		{"2.1", "autoCreate", "boolean; not editable; when true, each source event makes an automation", workflowAutoCreate},
		{"2.1", "owner", "Owner: `id` with prefix `usr_`, `name`, `email`; not editable", workflowOwner},
		{"2.1", "team", "Team or null; not editable", workflowTeam},
		{"2.1", "source", "Source; not editable", workflowSource},
		{"2.1", "documents", "array of Document; not editable", workflowDocuments},
		{"2.1", "outgoingWebhook", "OutgoingWebhook, or null until one is created; not editable", workflowOutgoingWebhook},
		{"2.1", "createdByApi", "boolean, true here; not editable", workflowCreatedByAPI},
		{"2.1", "createdAt", "ISO 8601 with fractional seconds and UTC offset; not editable", workflowCreatedAt},
		{"2.1", "updatedAt", "same format; the time of the last update; not editable", workflowUpdatedAt},
		{"2.1", "Defaults", "created with only `name`: default icon and grey, INCOMPLETE, autoCreate, no team, a WEBHOOK source without fields, no documents, no outgoing webhook, createdByApi", workflowDefaults},

		{"2.2", "id", "string with prefix `src_`", sourceID},
		{"2.2", "sourceType", "always WEBHOOK", sourceType},
		{"2.2", "sourceFields", "as given at creation, else the keys of the last event; nested ones joined by `.`", sourceFields},
		{"2.2", "webhookUrl", "URL that source data is POSTed to", sourceWebhookURL},

		{"2.3", "id", "string with prefix `doc_`; not editable", documentID},
		{"2.3", "documentType", "CLOUD_DOCS or CLOUD_SLIDES, by the file; not editable", documentType},
		{"2.3", "file", "Cloud File: `id`, `name`, `url`, `mimeType`; a copy; cannot be changed", documentFile},
		{"2.3", "outputName", "template string; editable", documentOutputName},
		{"2.3", "createPdfCopy", "boolean; can be toggled by PATCH", documentCreatePDFCopy},
		{"2.3", "removeOutput", "boolean; can be toggled by PATCH", documentRemoveOutput},
		{"2.3", "enablePdfPassword", "boolean; editable", documentEnablePDFPassword},
		{"2.3", "pdfPassword", "template string; editable", documentPDFPassword},
		{"2.3", "pdfPasswordPreventCopy", "boolean; editable as `enablePdfPreventCopy`, and in its own spelling", documentPreventCopy},
		{"2.3", "previewUrl", "URL for people who are no users; not editable", documentPreviewURL},
		{"2.3", "What the options do", "a PDF copy is made, the original removed after it, the PDF encrypted with the password that its template comes to, copying prevented; without `enablePdfPassword` the password is not used", documentOptionsTakeEffect},
		{"2.3", "Note: spelling createPDFCopy", "both spellings occur; answers use `createPdfCopy`", documentPDFCopySpelling},
		{"2.3", "Note: defaults", "`<workflow name> - {{Timestamp}}`, the rest false and empty", documentDefaults},
		{"2.3", "Note: name of the template", "the copy is named after the workflow, with ` - [Template]`", documentTemplateName},

		{"2.4", "id", "string with prefix `owc_`", outgoingID},
		{"2.4", "webhookUrl", "URL that events are POSTed to", outgoingWebhookURL},

		{"3", "INCOMPLETE", "needs further configuration before it can run: an event makes no output", stateIncomplete},
		{"3", "COMPLETE", "runnable: an event makes an output", stateComplete},
		{"3", "ARCHIVED", "no longer usable: no changes, no events", stateArchived},
		{"3", "(none) to INCOMPLETE", "by POST with only `name`, with a webhook source and no documents", transitionCreated},
		{"3", "INCOMPLETE to COMPLETE", "by the first template document; a later GET shows it", transitionComplete},
		{"3", "any to ARCHIVED", "by DELETE, from every state; the workflow stays", transitionArchived},

		{"4", "All bodies are JSON", "requests and answers", bodiesAreJSON},
		{"4", "Slash at the end", "paths work with it; and without it, as clients write them", pathsWithoutSlash},
		{"4.1", "List all workflows", "200, array of Workflow: own ones and the team's; 403", listWorkflows},
		{"4.1", "Create a workflow", "201, Workflow; 400, 403", createWorkflow},
		{"4.1", "Create: name", "required string", createName},
		{"4.1", "Create: color", "optional hex string with `#`", createColor},
		{"4.1", "Create: icon", "optional string", createIcon},
		{"4.1", "Create: source", "optional object with `sourceFields`", createSource},
		{"4.1", "Create: document", "optional object with `fileId`", createWithDocument},
		{"4.1", "Create: outgoingWebhook", "optional object with `webhookUrl`", createWithOutgoingWebhook},
		{"4.1", "Create: everything at once", "one request with all parts makes a complete workflow", createComplete},
		{"4.1", "Retrieve a workflow", "200, Workflow; 403, 404", retrieveWorkflow},
		{"4.1", "Update a workflow", "200, Workflow; optional `name`, `color`, `icon`; 400, 403, 404", updateWorkflow},
		{"4.1", "Delete a workflow", "204, empty body, status ARCHIVED; 403, 404 (no request to delete is wrong in itself, so none is a 400)", deleteWorkflow},
		{"4.2", "List documents", "200, array of Document; 403", listDocuments},
		{"4.2", "Create a document", "201, Document; optional `file_id`, copied; without it a new document; 400, 403", createDocument},
		{"4.2", "Get a document", "200, Document; 403", getDocument},
		{"4.2", "Update a document", "200, Document; optional `outputName`, `pdfPassword`, `enablePdfPassword`, `enablePdfPreventCopy`; 400, 403", updateDocument},
		{"4.3", "Both forms of the path", "`outgoing-webhooks` and `outgoing-webhook` are served", outgoingBothForms},
		{"4.3", "Get", "200, OutgoingWebhook; 403", getOutgoing},
		{"4.3", "Create", "201, OutgoingWebhook; exactly one field; 400, 403; the workflow holds it afterwards", createOutgoing},
		{"4.3", "Update", "200, OutgoingWebhook; exactly one field; 400, 403", updateOutgoing},
		{"4.4", "Get the source", "200, Source; 403", getSource},
		{"4.5", "Post source data", "JSON object to an address on another host; 200 and an empty object; starts an automation", postSource},
		{"4.5", "sourceFields follow", "set to the keys of the last event, unless they were given at creation", postSetsFields},

		{"5", "The token in Authorization", "the value is the token, without a scheme", tokenAlone},
		{"5", "Missing or unacceptable credentials", "403, `Unauthorised`, on every endpoint", tokenRefused},
		{"5", "A resource of others", "403, `Unauthorised`", resourceOfOthers},
		{"5", "Access to the drive file", "the calling user must have it, and a connection to the drive", driveAccess},
		{"5", "The source address", "no Authorization", sourceNeedsNoToken},

		{"6", "Event of an output", "HTTP POST to the outgoing webhook, within about a minute, with a link to the new document", eventOfOutput},
		{"6", "Placeholders", "the template's placeholders are filled from the event's keys", eventPlaceholders},
		{"6", "No outgoing webhook, no event", "nothing is sent unless the configuration exists", eventNeedsWebhook},

		{"7", "400 Bad Request", "invalid request on create and update; such as a malformed body or an invalid file reference", errorBadRequest},
		{"7", "403 Unauthorised", "every endpoint, for failing authorization", errorUnauthorised},
		{"7", "404 Not Found", "retrieve, update and delete of a workflow that cannot be found; no document endpoint", errorNotFound},

		{"9", "Version in the path", "`/v0` ends the base address", versionInPath},
	}
}
