/** Sets a member of a JSON object: a name like __proto__ is a name like any other. */
export const putMember = (object: Record<string, unknown>, name: string, value: unknown): void => {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  } else object[name] = value
}
