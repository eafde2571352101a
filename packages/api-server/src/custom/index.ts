export { CustomKinds } from "./CustomKinds.ts"
