export { type AdmissionSample, admissionPluginContract } from "./admissionPluginContract.ts"
export { authorizerContract } from "./authorizerContract.ts"
export { kubeletTransportContract, type TransportUnderTest } from "./kubeletTransportContract.ts"
export { runWithApiServer } from "./runWithApiServer.ts"
