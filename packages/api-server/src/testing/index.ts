export { type AdmissionSample, admissionPluginContract } from "./admissionPluginContract.ts"
export { authorizerContract } from "./authorizerContract.ts"
export { runWithApiServer } from "./runWithApiServer.ts"
