/** Why a connection could not be made, by the system's code for it. */
export const NETWORK_WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name cannot be looked up now; perhaps there is no network",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  ENETUNREACH: "the network cannot be reached",
  EHOSTUNREACH: "the host cannot be reached",
  ETIMEDOUT: "it does not answer",
}
