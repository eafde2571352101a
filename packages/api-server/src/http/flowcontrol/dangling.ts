import { type FlowControlCondition, type FlowSchema, formatTime } from "@rollcall/api"

/** Whether a schema's priority level exists. Upstream: presyncFlowSchemaStatus of apf_controller.go. */

const wantedOf = (level: string, isFound: boolean): FlowControlCondition => {
  const start = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`
  return isFound
    ? { type: "Dangling", status: "False", reason: "Found", message: `${start} and it exists` }
    : { type: "Dangling", status: "True", reason: "NotFound", message: `${start} but there is no such object` }
}

/** The condition to write; undefined when the schema has it. */
export const danglingCondition = (
  schema: FlowSchema,
  isFound: boolean,
  nowMs: number
): FlowControlCondition | undefined => {
  const wanted = wantedOf(schema.spec?.priorityLevelConfiguration.name ?? "", isFound)
  const current = schema.status?.conditions?.find(({ type }) => type === "Dangling")
  const isSame =
    current?.status === wanted.status && current?.reason === wanted.reason && current?.message === wanted.message
  return isSame ? undefined : { ...wanted, lastTransitionTime: formatTime(nowMs) }
}
