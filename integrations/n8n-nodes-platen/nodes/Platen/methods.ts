import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult, INodeProperties, ResourceMapperFields } from "n8n-workflow";
import { NodeOperationError } from "n8n-workflow";

import { ask, part } from "./api";
import { fieldsOf, type Schema } from "./fields";

/** The workflow of Platen that a node is about. */
export const workflowProperty: INodeProperties = {
  displayName: "Platen Workflow",
  name: "workflow",
  type: "resourceLocator",
  default: { mode: "list", value: "" },
  required: true,
  description: "The workflow of Platen whose documents are made",
  modes: [
    {
      displayName: "From List",
      name: "list",
      type: "list",
      placeholder: "Select a workflow…",
      typeOptions: { searchListMethod: "searchWorkflows", searchable: true },
    },
    {
      displayName: "By ID",
      name: "id",
      type: "string",
      placeholder: "wkf_4fGk2LmQx8Rt0ZbC",
      validation: [
        {
          type: "regex",
          properties: { regex: "^wkf_[0-9A-Za-z]{14,64}$", errorMessage: "An ID begins with wkf_. The page of the workflow in Platen's console has it." },
        },
      ],
    },
  ],
};

interface Workflow {
  id: string;
  name: string;
  status: string;
}

/** Lists the workflows that take events, a page at a time. */
export async function searchWorkflows(this: ILoadOptionsFunctions, filter?: string, cursor?: string): Promise<INodeListSearchResult> {
  const { body, headers } = await ask<Workflow[]>(this, { method: "GET", path: "/workflows/", query: { limit: 200, status: ["COMPLETE"], cursor } });
  const next = /<([^>]*)>; *rel="?next"?/.exec(headers.link ?? "")?.[1];
  const wanted = (filter ?? "").toLowerCase();
  return {
    results: body.filter((w) => w.name.toLowerCase().includes(wanted)).map((w) => ({ name: w.name, value: w.id })),
    paginationToken: next === undefined ? undefined : (new URL(next, "https://platen.invalid").searchParams.get("cursor") ?? undefined),
  };
}

interface Document {
  id: string;
  onMissing?: string;
}

/** The fields that the templates of a workflow ask for. */
export async function getFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
  const id = this.getNodeParameter("workflow", "", { extractValue: true }) as string;
  if (id === "") {
    throw new NodeOperationError(this.getNode(), 'Choose a "Platen Workflow" first: its templates say which fields there are');
  }
  const documents = (await ask<Document[]>(this, { method: "GET", path: `/workflows/${part(id)}/documents/` })).body;
  const found = [];
  for (const document of documents) {
    const path = `/workflows/${part(id)}/documents/${part(document.id)}/check/`;
    const check = await ask<IDataObject>(this, { method: "POST", path, body: {}, repeatable: true });
    found.push({ schema: check.body.schema as Schema, strict: document.onMissing === "fail" });
  }
  return { fields: fieldsOf(found) };
}
