/** Returns the text of a failed read of the Node. */
export const readErrorText =
  (node: string) =>
  (message: string): string =>
    `error getting node "${node}": ${message}`

/** Returns the text of a failed patch of the Node's status. */
export const patchErrorText =
  (node: string, body: () => unknown) =>
  (message: string): string =>
    `failed to patch status ${JSON.stringify(JSON.stringify(body()))} for node "${node}": ${message}`

export const tooManyRetries = { err: "update node status exceeds retry count" }
