import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription, ResourceMapperField } from "n8n-workflow";
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from "n8n-workflow";
import { createHash } from "node:crypto";

import { eventOf } from "./fields";
import { getFields, searchWorkflows, workflowProperty } from "./methods";
import { itemsOf, read, send, unmade } from "./runs";

/** So many items are worked on at once. */
const atOnce = 10;

export class Platen implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Platen",
    name: "platen",
    icon: { light: "file:../../icons/platen.svg", dark: "file:../../icons/platen.dark.svg" },
    group: ["transform"],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: "Make documents of data",
    defaults: { name: "Platen" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "platenApi", required: true }],
    properties: [
      {
        displayName: "Resource",
        name: "resource",
        type: "options",
        noDataExpression: true,
        options: [
          { name: "Document", value: "document" },
          { name: "Run", value: "run" },
        ],
        default: "document",
      },
      {
        displayName: "Operation",
        name: "operation",
        type: "options",
        noDataExpression: true,
        displayOptions: { show: { resource: ["document"] } },
        options: [
          { name: "Create", value: "create", action: "Create a document", description: "Send data, wait for the document and get its PDF" },
          { name: "Download", value: "download", action: "Download a document", description: "Get the PDF of an event" },
        ],
        default: "create",
      },
      {
        displayName: "Operation",
        name: "operation",
        type: "options",
        noDataExpression: true,
        displayOptions: { show: { resource: ["run"] } },
        options: [{ name: "Get", value: "get", action: "Get a run", description: "Get what became of data that was sent" }],
        default: "get",
      },
      workflowProperty,
      {
        displayName: "Data",
        name: "dataMode",
        type: "options",
        displayOptions: { show: { resource: ["document"], operation: ["create"] } },
        options: [
          { name: "Fields of the Templates", value: "fields" },
          { name: "JSON", value: "json" },
        ],
        default: "fields",
      },
      {
        displayName: "Fields",
        name: "fields",
        type: "resourceMapper",
        noDataExpression: true,
        required: true,
        displayOptions: { show: { resource: ["document"], operation: ["create"], dataMode: ["fields"] } },
        default: { mappingMode: "defineBelow", value: null },
        typeOptions: {
          loadOptionsDependsOn: ["workflow.value"],
          resourceMapper: {
            resourceMapperMethod: "getFields",
            mode: "add",
            fieldWords: { singular: "field", plural: "fields" },
            addAllFields: true,
            multiKeyMatch: false,
            supportAutoMap: true,
          },
        },
      },
      {
        displayName: "JSON",
        name: "json",
        type: "json",
        required: true,
        displayOptions: { show: { resource: ["document"], operation: ["create"], dataMode: ["json"] } },
        default: "={{ $json }}",
        description: "One object with what the templates ask for",
      },
      {
        displayName: "Run ID",
        name: "automationId",
        type: "string",
        required: true,
        displayOptions: { show: { operation: ["download", "get"] } },
        default: "={{ $json.data.automationId }}",
        placeholder: "aut_0pLo9KiJu8HyGt7F",
        description: "The automation that made the document, as an event of the trigger has it",
      },
      {
        displayName: "Template ID",
        name: "documentId",
        type: "string",
        required: true,
        displayOptions: { show: { operation: ["download"] } },
        default: "={{ $json.data.documentId }}",
        placeholder: "doc_7Hq1WsN3vYp5KdUe",
        description: "The template that the document was made of, as an event of the trigger has it",
      },
      {
        displayName: "Download the PDF",
        name: "download",
        type: "boolean",
        displayOptions: { show: { resource: ["document"], operation: ["create"] } },
        default: true,
        description: "Whether each document comes with its PDF as a file",
      },
      {
        displayName: "Put Output File in Field",
        name: "binaryProperty",
        type: "string",
        required: true,
        displayOptions: { show: { resource: ["document"] } },
        default: "data",
        hint: "The name of the output binary field to put the file in",
      },
      {
        displayName: "Options",
        name: "options",
        type: "collection",
        placeholder: "Add option",
        displayOptions: { show: { resource: ["document"], operation: ["create"] } },
        default: {},
        options: [
          {
            displayName: "Key",
            name: "key",
            type: "string",
            default: "",
            description: "Name of the event, such as your order's number. The same data under the same key makes one document, for four days. Without it, each execution makes its own, and a retry of this node within it makes no second one.",
          },
          {
            displayName: "Reference",
            name: "reference",
            type: "string",
            default: "",
            description: "What people call it, without names of people. Lists and events of Platen show it.",
          },
          {
            displayName: "Test",
            name: "test",
            type: "boolean",
            default: false,
            description: "Whether the pages are marked as a test and no mail is sent",
          },
          {
            displayName: "Wait Up To",
            name: "wait",
            type: "number",
            typeOptions: { minValue: 0, maxValue: 3600 },
            default: 300,
            description: "Seconds to wait for the document. With 0 the run is answered as it stands.",
          },
        ],
      },
    ],
  };

  methods = {
    listSearch: { searchWorkflows },
    resourceMapping: { getFields },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData();
    const out: INodeExecutionData[] = [];
    for (let from = 0; from < items.length; from += atOnce) {
      const some = items.slice(from, from + atOnce).map(async (_, i) => {
        try {
          return await work(this, from + i);
        } catch (error) {
          if (this.continueOnFail()) return [{ json: { error: (error as Error).message }, pairedItem: from + i }];
          throw error instanceof NodeApiError ? error : new NodeOperationError(this.getNode(), error as Error, { itemIndex: from + i });
        }
      });
      out.push(...(await Promise.all(some)).flat());
    }
    return [out];
  }
}

async function work(context: IExecuteFunctions, i: number): Promise<INodeExecutionData[]> {
  const text = (name: string) => String(context.getNodeParameter(name, i)).trim();
  const workflowId = context.getNodeParameter("workflow", i, "", { extractValue: true }) as string;
  const operation = text("operation");
  if (operation === "get") {
    return [{ json: (await read(context, workflowId, text("automationId"), i)) as unknown as IDataObject, pairedItem: i }];
  }
  const property = text("binaryProperty");
  if (operation === "download") {
    const run = await read(context, workflowId, text("automationId"), i);
    const outputs = run.outputs.filter((o) => o.documentId === text("documentId"));
    if (outputs.length === 0) {
      throw new NodeOperationError(context.getNode(), `The run ${run.id} made no document of this template`, {
        description: 'Look at "Run ID" and "Template ID": behind a Platen Trigger they are {{ $json.data.automationId }} and {{ $json.data.documentId }}.',
        itemIndex: i,
      });
    }
    return await itemsOf(context, { ...run, outputs }, property, i);
  }
  const options = context.getNodeParameter("options", i) as { key?: string; reference?: string; test?: boolean; wait?: number };
  const wait = options.wait ?? 300;
  const run = await send(
    context,
    { workflowId, data: dataOf(context, i), key: options.key || keyOf(context, i), reference: options.reference ?? "", test: options.test ?? false, wait },
    i,
  );
  const failure = unmade(context, run, wait, i);
  if (failure !== undefined) throw failure;
  return await itemsOf(context, run, context.getNodeParameter("download", i) ? property : "", i);
}

function dataOf(context: IExecuteFunctions, i: number): IDataObject {
  const refuse = (message: string, description: string) => new NodeOperationError(context.getNode(), message, { description, itemIndex: i });
  if (context.getNodeParameter("dataMode", i) === "fields") {
    const mapper = context.getNodeParameter("fields", i) as { mappingMode: string; value: IDataObject | null; schema?: ResourceMapperField[] };
    if (mapper.mappingMode === "autoMapInputData") return context.getInputData()[i].json;
    const { event, unreadable } = eventOf(mapper.value ?? {}, mapper.schema ?? []);
    if (unreadable !== undefined) {
      throw refuse(`The field "${unreadable}" takes a list or an object, and its text is no JSON`, 'Give it as [{"Name": "…"}], or drag a list into it.');
    }
    return event;
  }
  let data: unknown = context.getNodeParameter("json", i);
  if (typeof data === "string") {
    try {
      data = JSON.parse(data);
    } catch (error) {
      throw refuse('"JSON" is no JSON', `${(error as Error).message}. Give one object, such as {"Name": "Ada"}.`);
    }
  }
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    throw refuse('"JSON" takes one object', 'Give one object, such as {"Name": "Ada"}. Of a list, split the items before: each makes its own document.');
  }
  return data as IDataObject;
}

/** A key that the tries of one item in one execution share, and no other item has. */
function keyOf(context: IExecuteFunctions, i: number): string {
  const of = [context.getInstanceId(), context.getWorkflow().id, context.getExecutionId(), context.getNode().id, context.evaluateExpression("{{ $runIndex }}", i), i];
  return "n8n-" + createHash("sha256").update(JSON.stringify(of)).digest("hex");
}
