export { type InhibitorRig, inhibitorContract } from "./inhibitorContract.ts"
