export { describeNode, type NodeDescription } from "./describe/node.ts"
export type { Api, Host, RawAnswer, RawRequest, SourceFile } from "./Host.ts"
export { asksForHelp, kubectlHelp } from "./help/help.ts"
export { kubectl, kubectlVerbs } from "./kubectl.ts"
