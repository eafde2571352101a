export { type BodyLimits, defaultBodyLimits } from "./bodyLimits.ts"
export type { HttpRequest, HttpResponse } from "./HttpPort.ts"
export type { HealthCheck, HealthEndpoint } from "./health.ts"
export {
  ListenError,
  type Listening,
  type ListenOptions,
  listen,
  type TlsOptions,
  verifiedCertificate
} from "./listen.ts"
export { type Handler, type HandlerOptions, makeHandler } from "./makeHandler.ts"
export { type VersionInfo, versionInfo } from "./version.ts"
export { makeWireTimers } from "./wireTimers.ts"
