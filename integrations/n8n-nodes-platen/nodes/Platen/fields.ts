import type { FieldType, IDataObject, ResourceMapperField } from "n8n-workflow";

/** As much of a JSON Schema as the service writes of a template. */
export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Between the names of an object and of what is in it, as templates write them. */
const dot = ".";

/**
 * The fields that templates ask for, each once, in the order of the templates. What stands
 * in an object is a field of its own. required are those without which a document fails.
 */
export function fieldsOf(documents: Array<{ schema: Schema; strict: boolean }>): ResourceMapperField[] {
  const fields = new Map<string, ResourceMapperField>();
  for (const { schema, strict } of documents) {
    collect(fields, schema, [], strict);
  }
  return [...fields.values()];
}

function collect(fields: Map<string, ResourceMapperField>, schema: Schema, within: string[], strict: boolean): void {
  for (const [name, of] of Object.entries(schema.properties ?? {})) {
    const path = [...within, name];
    const required = strict && (schema.required ?? []).includes(name);
    if (of.properties !== undefined) {
      collect(fields, of, path, required);
      continue;
    }
    const id = path.join(dot);
    const before = fields.get(id);
    fields.set(id, {
      id,
      displayName: id,
      type: before?.type ?? typeOf(of),
      required: required || (before?.required ?? false),
      defaultMatch: false,
      display: true,
      canBeUsedToMatch: false,
    });
  }
}

/** What may be text is text: numbers keep their last zeros then. */
function typeOf(schema: Schema): FieldType {
  const types = [schema.type ?? "string"].flat();
  if (types.includes("string")) return "string";
  if (types.includes("array")) return "array";
  if (types.includes("object")) return "object";
  if (types.includes("number") || types.includes("integer")) return "number";
  return types.includes("boolean") ? "boolean" : "string";
}

/**
 * The event of the values that a user gave to fields: what has a dot in its name stands in
 * an object. Empty ones are left out. A list that is text is read as JSON; unreadable is
 * the first field whose text is none.
 */
export function eventOf(values: IDataObject, fields: Array<Pick<ResourceMapperField, "id" | "type">>): { event: IDataObject; unreadable?: string } {
  const types = new Map(fields.map((f) => [f.id, f.type]));
  const event = empty();
  for (const [id, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === "") continue;
    const path = id.split(dot);
    const last = path.pop() as string;
    let at = event;
    for (const name of path) at = (at[name] ??= empty()) as IDataObject;
    at[last] = value;
    if (typeof value !== "string" || !["array", "object"].includes(types.get(id) ?? "")) continue;
    try {
      at[last] = JSON.parse(value) as IDataObject;
    } catch {
      return { event, unreadable: id };
    }
  }
  return { event: JSON.parse(JSON.stringify(event)) as IDataObject }; // n8n sends only what has a prototype
}

/** An object in which any name may stand, also __proto__. */
const empty = (): IDataObject => Object.create(null) as IDataObject;
