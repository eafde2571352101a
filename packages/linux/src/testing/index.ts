export { type LogindRig, makeLogindRig, missingForLogind } from "./logindRig.ts"
