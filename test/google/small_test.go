package google_test

// smallDocument is an answer in Google's shape with a little of everything.
const smallDocument = `{
 "documentId": "small", "revisionId": "r1", "title": "Small", "suggestionsViewMode": "SUGGESTIONS_INLINE",
 "tabs": [
  {"tabProperties": {"tabId": "t.0", "title": "First", "index": 0}, "documentTab": {
   "documentStyle": {"pageSize": {"width": {"magnitude": 595, "unit": "PT"}, "height": {"magnitude": 842, "unit": "PT"}}, "marginLeft": {"magnitude": 72, "unit": "PT"}, "marginRight": {"magnitude": 72, "unit": "PT"}},
   "namedStyles": {"styles": [
    {"namedStyleType": "NORMAL_TEXT", "textStyle": {"bold": false, "fontSize": {"magnitude": 11, "unit": "PT"}}, "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT", "avoidWidowAndOrphan": true}},
    {"namedStyleType": "HEADING_1", "textStyle": {"bold": true, "fontSize": {"magnitude": 20, "unit": "PT"}}, "paragraphStyle": {"namedStyleType": "HEADING_1", "direction": "LEFT_TO_RIGHT"}}]},
   "lists": {"kix.l1": {"listProperties": {"nestingLevels": [{"glyphType": "DECIMAL", "glyphFormat": "%0."}, {"glyphType": "ALPHA", "glyphFormat": "%1."}]}}},
   "body": {"content": [
    {"endIndex": 1, "sectionBreak": {"sectionStyle": {"sectionType": "CONTINUOUS"}}},
    {"startIndex": 1, "endIndex": 15, "paragraph": {"elements": [{"startIndex": 1, "endIndex": 15, "textRun": {"content": "Offer of June\n", "textStyle": {"bold": false}}}], "paragraphStyle": {"headingId": "h.1", "namedStyleType": "HEADING_1", "direction": "LEFT_TO_RIGHT"}}},
    {"startIndex": 15, "endIndex": 33, "paragraph": {"elements": [
      {"startIndex": 15, "endIndex": 19, "textRun": {"content": "See ", "textStyle": {}}},
      {"startIndex": 19, "endIndex": 27, "textRun": {"content": "our shop", "textStyle": {"underline": true, "link": {"url": "https://shop.example.com/"}}}},
      {"startIndex": 27, "endIndex": 28, "footnoteReference": {"footnoteId": "kix.f1", "footnoteNumber": "1", "textStyle": {"baselineOffset": "SUPERSCRIPT"}}},
      {"startIndex": 28, "endIndex": 33, "textRun": {"content": " now\n", "textStyle": {}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT", "avoidWidowAndOrphan": false}}},
    {"startIndex": 33, "endIndex": 39, "paragraph": {"elements": [{"startIndex": 33, "endIndex": 39, "textRun": {"content": "First\n", "textStyle": {}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}, "bullet": {"listId": "kix.l1", "textStyle": {}}}},
    {"startIndex": 39, "endIndex": 46, "paragraph": {"elements": [{"startIndex": 39, "endIndex": 46, "textRun": {"content": "Second\n", "textStyle": {"italic": true}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}, "bullet": {"listId": "kix.l1", "nestingLevel": 1, "textStyle": {}}}},
    {"startIndex": 46, "endIndex": 47, "paragraph": {"elements": [{"startIndex": 46, "endIndex": 47, "textRun": {"content": "\n", "textStyle": {}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}},
    {"startIndex": 47, "endIndex": 82, "table": {"rows": 3, "columns": 2, "tableStyle": {"tableColumnProperties": [{"widthType": "EVENLY_DISTRIBUTED"}, {"widthType": "EVENLY_DISTRIBUTED"}]}, "tableRows": [
      {"startIndex": 48, "endIndex": 60, "tableRowStyle": {}, "tableCells": [
       {"startIndex": 49, "endIndex": 55, "tableCellStyle": {"rowSpan": 1, "columnSpan": 1}, "content": [{"startIndex": 50, "endIndex": 55, "paragraph": {"elements": [{"startIndex": 50, "endIndex": 55, "textRun": {"content": "Item\n", "textStyle": {"bold": true}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}}]},
       {"startIndex": 55, "endIndex": 60, "tableCellStyle": {"rowSpan": 1, "columnSpan": 1}, "content": [{"startIndex": 56, "endIndex": 60, "paragraph": {"elements": [{"startIndex": 56, "endIndex": 60, "textRun": {"content": "Sum\n", "textStyle": {"bold": true}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT", "alignment": "END"}}}]}]},
      {"startIndex": 60, "endIndex": 71, "tableRowStyle": {}, "tableCells": [
       {"startIndex": 61, "endIndex": 66, "tableCellStyle": {"rowSpan": 1, "columnSpan": 1}, "content": [{"startIndex": 62, "endIndex": 66, "paragraph": {"elements": [{"startIndex": 62, "endIndex": 66, "textRun": {"content": "Nut\n", "textStyle": {}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}}]},
       {"startIndex": 66, "endIndex": 71, "tableCellStyle": {"rowSpan": 1, "columnSpan": 1}, "content": [{"startIndex": 67, "endIndex": 71, "paragraph": {"elements": [{"startIndex": 67, "endIndex": 71, "textRun": {"content": "1 €\n", "textStyle": {}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT", "alignment": "END"}}}]}]},
      {"startIndex": 71, "endIndex": 81, "tableRowStyle": {}, "tableCells": [
       {"startIndex": 72, "endIndex": 78, "tableCellStyle": {"rowSpan": 1, "columnSpan": 1}, "content": [{"startIndex": 73, "endIndex": 78, "paragraph": {"elements": [{"startIndex": 73, "endIndex": 78, "textRun": {"content": "Bolt\n", "textStyle": {}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}}]},
       {"startIndex": 78, "endIndex": 81, "tableCellStyle": {"rowSpan": 1, "columnSpan": 1}, "content": [{"startIndex": 79, "endIndex": 81, "paragraph": {"elements": [{"startIndex": 79, "endIndex": 81, "textRun": {"content": "2\n", "textStyle": {}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT", "alignment": "END"}}}]}]}]}},
    {"startIndex": 82, "endIndex": 87, "paragraph": {"elements": [{"startIndex": 82, "endIndex": 87, "textRun": {"content": "Bye.\n", "textStyle": {}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}}]},
   "footnotes": {"kix.f1": {"footnoteId": "kix.f1", "content": [{"endIndex": 7, "paragraph": {"elements": [{"endIndex": 7, "textRun": {"content": " Note.\n", "textStyle": {"fontSize": {"magnitude": 10, "unit": "PT"}}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}}]}}}},
  {"tabProperties": {"tabId": "t.1", "title": "Second", "index": 1}, "documentTab": {
   "documentStyle": {}, "namedStyles": {"styles": []},
   "headers": {"kix.h1": {"headerId": "kix.h1", "content": [{"endIndex": 5, "paragraph": {"elements": [{"endIndex": 5, "textRun": {"content": "Head\n", "textStyle": {}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}}]}},
   "body": {"content": [
    {"endIndex": 1, "sectionBreak": {"sectionStyle": {"sectionType": "CONTINUOUS"}}},
    {"startIndex": 1, "endIndex": 7, "paragraph": {"elements": [{"startIndex": 1, "endIndex": 7, "textRun": {"content": "Other\n", "textStyle": {}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}}]}}}
 ]}`

// smallPresentation is an answer in Google's shape with a little of everything.
const smallPresentation = `{
 "presentationId": "small", "revisionId": "r1", "title": "Small",
 "slides": [
  {"objectId": "s1", "slideProperties": {"layoutObjectId": "l1", "masterObjectId": "m1", "notesPage": {"objectId": "n1", "pageElements": [
    {"objectId": "n1_text", "shape": {"shapeType": "TEXT_BOX", "text": {"textElements": [
      {"endIndex": 10, "paragraphMarker": {"style": {}}}, {"endIndex": 10, "textRun": {"content": "Say hello\n", "style": {}}}]}}}]}},
   "pageElements": [
    {"objectId": "s1_title", "shape": {"shapeType": "TEXT_BOX", "placeholder": {"type": "TITLE", "parentObjectId": "l1_title"}, "shapeProperties": {"autofit": {"autofitType": "TEXT_AUTOFIT", "fontScale": 0.9}}, "text": {"textElements": [
      {"endIndex": 8, "paragraphMarker": {"style": {"direction": "LEFT_TO_RIGHT"}}}, {"endIndex": 4, "textRun": {"content": "Our ", "style": {"bold": false}}}, {"startIndex": 4, "endIndex": 8, "textRun": {"content": "🦊s\n", "style": {"italic": true}}}]}}},
    {"objectId": "s1_group", "elementGroup": {"children": [
      {"objectId": "s1_a", "shape": {"shapeType": "RECTANGLE", "text": {"textElements": [
        {"endIndex": 4, "paragraphMarker": {"style": {}, "bullet": {"listId": "list1", "glyph": "●"}}}, {"endIndex": 4, "textRun": {"content": "One\n", "style": {}}},
        {"startIndex": 4, "endIndex": 8, "paragraphMarker": {"style": {}, "bullet": {"listId": "list1", "glyph": "●"}}}, {"startIndex": 4, "endIndex": 8, "textRun": {"content": "Two\n", "style": {}}},
        {"startIndex": 8, "endIndex": 14, "paragraphMarker": {"style": {"alignment": "END"}}}, {"startIndex": 8, "endIndex": 14, "textRun": {"content": "Three\n", "style": {}}}], "lists": {"list1": {"listId": "list1"}}}}},
      {"objectId": "s1_b", "shape": {"shapeType": "RECTANGLE"}}]}}]},
  {"objectId": "s2", "slideProperties": {"layoutObjectId": "l1", "masterObjectId": "m1", "notesPage": {"objectId": "n2"}}, "pageElements": [
    {"objectId": "s2_text", "shape": {"shapeType": "TEXT_BOX", "text": {"textElements": [
      {"endIndex": 7, "paragraphMarker": {"style": {}}}, {"endIndex": 5, "textRun": {"content": "Page ", "style": {}}}, {"startIndex": 5, "endIndex": 6, "autoText": {"type": "SLIDE_NUMBER", "content": "2", "style": {}}}, {"startIndex": 6, "endIndex": 7, "textRun": {"content": "\n", "style": {}}}]}}}]}],
 "layouts": [{"objectId": "l1", "pageElements": [{"objectId": "l1_title", "shape": {"shapeType": "TEXT_BOX", "placeholder": {"type": "TITLE"}}}]}],
 "masters": [{"objectId": "m1", "pageElements": []}]
}`
