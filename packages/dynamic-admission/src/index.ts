// The plugins of policies and webhooks.

export { mutatingAdmissionPolicy, validatingAdmissionPolicy } from "./policies/plugins.ts"
export type {
  AdmissionAuthorizer,
  AdmissionKind,
  AdmissionKindState,
  AdmissionKinds,
  AdmissionSource,
  AuthorizationRequest,
  CallFault,
  ConfigurationKind,
  DynamicPlugin,
  ObjectCache,
  WebhookCaller
} from "./ports.ts"
export { unknownFieldsOf, withoutUnknownFields } from "./unknownFields.ts"
export { decodingFault, type ExpectedReview } from "./webhooks/decodingFault.ts"
export { webhookPlugins } from "./webhooks/plugins.ts"
