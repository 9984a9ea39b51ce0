package api

// A router adds the routes at a pattern below /v0.
type router func(pattern string, routes ...route)

// v0Routes adds every route of /v0. Of two patterns that fit a path the first counts.
func (s *server) v0Routes(v0 router) {
	v0("/me", open.get(s.getMe))
	v0("/audit", reads.get(s.listAudit))
	v0("/automations", reads.get(s.listCallersAutomations))
	v0("/automations/failures", reads.get(s.listFailures))
	v0("/automations/counts", reads.get(s.countAutomations))
	v0("/outputs", reads.get(s.listCallersOutputs))
	v0("/schedules", reads.get(s.listCallersSchedules))
	senders := partsBelow("/mail-senders", v0)
	senders("", reads.get(s.listSenders), changes.post(s.createSender))
	senders("/{mail_sender}", reads.get(s.getSender), changes.patch(s.updateSender), changes.remove(s.deleteSender))
	senders("/{mail_sender}/test", changes.post(s.testSender))
	v0("/usage", reads.get(s.listUsage))
	v0("/series", reads.get(s.listSeries))
	v0("/series/{series}", reads.get(s.getSeries), changes.patch(s.updateSeries))
	v0("/series/{series}/numbers", reads.get(s.listNumbers))
	v0("/workflows", reads.get(s.listWorkflows), changes.post(s.createWorkflow))
	// An import is larger than other bodies.
	v0("/workflows/import", changes.post(s.onceUpTo(importLimit, s.importWorkflow)).unkept())
	v0("/workflows/{workflow}", reads.get(s.getWorkflow), changes.patch(s.updateWorkflow), changes.remove(s.archiveWorkflow))
	part := partsBelow("/workflows/{workflow}", v0)
	part("/export", reads.get(s.exportWorkflow))
	part("/copy", changes.outside().post(s.copyWorkflow))
	part("/preview", reads.post(s.previewWorkflow).unkept())
	s.documentRoutes(part)
	for _, spelling := range webhookSpellings {
		s.webhookRoutes(part, spelling)
	}
	s.runRoutes(part)
}

// partsBelow adds routes below a pattern, where what is missing is a 403.
func partsBelow(above string, v0 router) router {
	return func(pattern string, routes ...route) {
		for i := range routes {
			routes[i].do = partOf(routes[i].do)
		}
		v0(above+pattern, routes...)
	}
}

// documentRoutes are those of a workflow's source and templates. An office file may be
// larger than what is kept of answers and requests.
func (s *server) documentRoutes(part router) {
	part("/source", reads.get(s.getSource))
	part("/source/rotate", changes.post(s.rotateSource))
	part("/source/verification", reads.get(s.getVerification), changes.post(s.setVerification), changes.remove(s.removeVerification))
	part("/public-form", reads.get(s.getPublicForm), changes.put(s.setPublicForm), changes.remove(s.deletePublicForm))
	part("/public-form/rotate", changes.post(s.rotatePublicForm))
	part("/targets", reads.get(s.listTargets), changes.post(s.createTarget))
	part("/targets/{target}", reads.get(s.getTarget), changes.patch(s.updateTarget), changes.remove(s.deleteTarget))
	part("/targets/{target}/test", changes.post(s.testTarget))
	part("/receivers", reads.get(s.listReceivers), changes.post(s.createReceiver))
	part("/receivers/check", reads.post(s.checkReceivers))
	const receiver = "/receivers/{receiver}"
	part(receiver, reads.get(s.getReceiver), changes.patch(s.updateReceiver), changes.remove(s.deleteReceiver))
	part(receiver+"/secret", changes.get(s.getReceiverSecret))
	part(receiver+"/secret/rotate", changes.post(s.rotateReceiverSecret))
	part(receiver+"/state", reads.get(s.getReceiverState))
	part(receiver+"/test", changes.post(s.testReceiver))
	part("/schedules", reads.get(s.listSchedules), changes.post(s.createSchedule))
	part("/schedules/{schedule}", reads.get(s.getSchedule), changes.patch(s.updateSchedule), changes.remove(s.deleteSchedule))
	part("/schedules/{schedule}/files", reads.get(s.listScheduleFiles))
	part("/schedules/{schedule}/run", changes.post(s.runSchedule))
	part("/documents", reads.get(s.listDocuments), changes.post(s.createDocument))
	part("/documents/upload", changes.post(s.uploadDocument).unkept())
	const document = "/documents/{document}"
	part(document, reads.get(s.getDocument), changes.patch(s.updateDocument), changes.remove(s.removeDocument))
	part(document+"/template", reads.get(s.getTemplateState), changes.post(s.replaceTemplate).unkept())
	part(document+"/check", reads.post(s.checkDocument))
	part(document+"/einvoice/propose", reads.post(s.proposeInvoice))
	part(document+"/preview-url/rotate", changes.post(s.rotatePreviewURL))
	part(document+"/versions", reads.get(s.listVersions), changes.post(s.keepVersion))
	part(document+"/versions/{version}", reads.get(s.getVersion))
	part(document+"/versions/{version}/file", reads.get(s.getVersionFile))
	part(document+"/versions/{version}/restore", changes.post(s.restoreVersion))
}

// webhookSpellings are both paths of an outgoing webhook (specification, section 4.3).
var webhookSpellings = [...]string{"/outgoing-webhooks", "/outgoing-webhook"}

// webhookRoutes are those of a workflow's outgoing webhook. A signing secret needs more
// than read access, because it allows forging events.
func (s *server) webhookRoutes(part router, at string) {
	part(at, reads.get(s.getOutgoingWebhook), changes.post(s.createOutgoingWebhook), changes.patch(s.updateOutgoingWebhook), changes.remove(s.deleteOutgoingWebhook))
	part(at+"/secret", changes.get(s.getSecret))
	part(at+"/secret/rotate", changes.post(s.rotateSecret))
	part(at+"/state", reads.get(s.getEndpoint))
	part(at+"/test", changes.post(s.testOutgoingWebhook))
	part(at+"/test-receiver", reads.get(s.getTestReceiver), changes.put(s.setTestReceiver), changes.remove(s.deleteTestReceiver))
	part(at+"/test-receiver/secret", changes.get(s.getTestSecret))
}

// runRoutes are those of what a workflow has made.
func (s *server) runRoutes(part router) {
	part("/automations", reads.get(s.listAutomations))
	part("/automations/counts", reads.get(s.countWorkflowAutomations))
	part("/automations/{automation}", reads.get(s.getAutomation), changes.remove(s.changeAutomation(s.Automations.EraseAutomation)))
	part("/automations/{automation}/retry", changes.post(s.changeAutomation(s.Automations.RetryAutomation)))
	part("/automations/{automation}/cancel", changes.post(s.changeAutomation(s.Automations.CancelAutomation)))
	part("/automations/{automation}/done", changes.post(s.noteOfAutomation(s.Automations.MarkDone)), changes.remove(s.noteOfAutomation(s.Automations.MarkOpen)))
	// A batch is larger than other bodies, and known by its own rows.
	part("/batches", reads.get(s.listBatches), changes.post(s.createBatch).unkept().withQuery())
	part("/batches/check", reads.post(s.checkBatch).unkept().withQuery())
	const batch = "/batches/{batch}"
	part(batch, reads.get(s.getBatch))
	part(batch+"/rows", reads.get(s.listBatchRows))
	part(batch+"/correct", changes.post(s.correctBatch).unkept().withQuery())
	part(batch+"/results.csv", reads.get(s.writeBatchResults))
	part(batch+"/outputs.zip", reads.get(s.zipBatch))
	part(batch+"/outputs.pdf", reads.get(s.bindBatch))
	part(batch+"/pause", changes.post(s.changeBatch(s.Batches.PauseBatch)))
	part(batch+"/resume", changes.post(s.changeBatch(s.Batches.ResumeBatch)))
	part(batch+"/cancel", changes.post(s.changeBatch(s.Batches.CancelBatch)))
	part(batch+"/retry", changes.post(s.changeBatch(s.Batches.RetryBatch)))
	part("/outputs", reads.get(s.listOutputs))
	part("/outputs/zip", reads.get(s.zipOutputs))
	part("/outputs/{output}/pdf", reads.get(s.getOutputPDF))
	part("/outputs/{output}/einvoice", reads.get(s.getOutputInvoice))
	part("/outputs/{output}/mail", reads.get(s.listMails), changes.post(s.mailOutput))
	part("/outputs/{output}/mail/revoke", changes.post(s.revokeMailLinks))
	part("/outputs/{output}/targets/{target}", changes.post(s.storeOutput))
	part("/outputs/{output}/approve", decides.post(s.approveOutput))
	part("/outputs/{output}/reject", decides.post(s.rejectOutput))
	part("/outputs/{output}/correct", decides.post(s.correctOutput))
	part("/outputs/{output}/data", reads.get(s.getOutputData))
	part("/events", reads.get(s.listEvents))
	part("/events/counts", reads.get(s.countEvents))
	part("/events/recover", changes.post(s.recoverEvents))
	part("/events/{event}", reads.get(s.getEvent))
	part("/events/{event}/redeliver", changes.post(s.redeliverEvent))
}
