import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow'

/** Address and key of a service. n8n tries them with a question that costs nothing. */
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
