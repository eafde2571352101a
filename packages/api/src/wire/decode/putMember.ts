/** Sets a member of a JSON object; __proto__ becomes an ordinary member. */
export const putMember = (object: Record<string, unknown>, name: string, value: unknown): void => {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  } else object[name] = value
}
