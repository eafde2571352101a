export { GuardedCall } from "./GuardedCall.ts"
export { goErrorText } from "./goErrors.ts"
export { addressOf, resolveService, type ServiceObjects, type WebhookAddress } from "./serviceAddress.ts"
export { WebhookClient } from "./WebhookClient.ts"
