export { deviceDriversContract } from "./deviceDriversContract.ts"
export { type NodeHostContractOptions, nodeHostContract } from "./nodeHostContract.ts"
export { podRuntimeContract } from "./podRuntimeContract.ts"
