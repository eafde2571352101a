export { GuardedCall } from "./GuardedCall.ts"
export { goErrorText } from "./goErrors.ts"
export { resolveService, type ServiceObjects } from "./serviceAddress.ts"
export { WebhookClient } from "./WebhookClient.ts"
