export { itInVirtualTime } from "./itInVirtualTime.ts"
