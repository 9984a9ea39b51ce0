import type { IAuthenticateGeneric, Icon, ICredentialTestRequest, ICredentialType, INodeProperties } from "n8n-workflow";

export class PlatenApi implements ICredentialType {
  name = "platenApi";

  displayName = "Platen API";

  icon: Icon = { light: "file:../icons/platen.svg", dark: "file:../icons/platen.dark.svg" };

  documentationUrl = "https://github.com/platenhq/platen/blob/main/docs/n8n.md#2-connect-it";

  properties: INodeProperties[] = [
    {
      displayName: "API Address",
      name: "address",
      type: "string",
      required: true,
      default: "",
      placeholder: "https://platen.example/v0",
      description: "Address of the API, which ends in its version",
    },
    {
      displayName: "Access Token",
      name: "token",
      type: "string",
      typeOptions: { password: true },
      required: true,
      default: "",
      placeholder: "plt_…",
      description: "As the operator gave it. The trigger needs the scope write, because it reads a signing secret.",
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { Authorization: "={{$credentials.token}}" } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.address.replace(/\\/+$/, "")}}', url: "/me/" },
  };
}
