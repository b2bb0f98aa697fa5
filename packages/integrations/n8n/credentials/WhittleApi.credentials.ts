import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow'

/** Credentials: address and API key of a service. n8n tests them with `GET /v1/usage`, which is free. */
export class WhittleApi implements ICredentialType {
  name = 'whittleApi'
  displayName = 'Whittle API'
  icon = 'file:whittle.svg' as const
  documentationUrl = 'https://github.com/whittle-app/whittle'
  properties: INodeProperties[] = [
    { displayName: 'Server', name: 'server', type: 'string', default: '', placeholder: 'https://whittle.example.com', required: true },
    {
      displayName: 'Key',
      name: 'key',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      placeholder: 'whl_live_…',
      required: true,
    },
  ]
  authenticate: IAuthenticateGeneric = { type: 'generic', properties: { headers: { Authorization: '=Bearer {{$credentials.key}}' } } }
  test: ICredentialTestRequest = { request: { baseURL: '={{$credentials.server}}', url: '/v1/usage' } }
}
