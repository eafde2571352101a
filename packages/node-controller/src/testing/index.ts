export { type CloudRig, cloudProviderContract } from "./cloudProviderContract.ts"
