export * from "../proxy/KubeletTransport.ts"
export { type BodyLimits, defaultBodyLimits } from "./bodyLimits.ts"
export { certificateProblem } from "./certificateProblem.ts"
export { type ConnectionLimits, defaultConnectionLimits } from "./connectionLimits.ts"
export type { HttpRequest, HttpResponse } from "./HttpPort.ts"
export type { HealthCheck, HealthEndpoint } from "./health.ts"
export {
  type ClientCertificate,
  ListenError,
  type Listening,
  type ListenOptions,
  listen,
  type TlsOptions,
  verifiedCertificate
} from "./listen.ts"
export { type Handler, type HandlerOptions, makeHandler } from "./makeHandler.ts"
export type { ProcessMetrics } from "./rootPaths.ts"
export { defaultUnsentLimits, type UnsentLimits } from "./Unsent.ts"
export { type VersionInfo, versionInfo } from "./version.ts"
export { makeWireTimers } from "./wireTimers.ts"
