export { inhibitorsContract } from "./inhibitorsContract.ts"
export { type LinkContractOptions, linkContract } from "./linkContract.ts"
