export { storeContract } from "./storeContract.ts"
