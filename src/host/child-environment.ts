/**
 * The environment of the commands we run: nobody is there to page through output or to answer a prompt, and our own keys stay
 * with us. Keys of other services (GITHUB_TOKEN, NPM_TOKEN, AWS_…) are the project's business and pass.
 */

/** A model vendor's variables begin with its name. */
const MODEL_VENDORS = `
  AI_GATEWAY ANTHROPIC AZURE_OPENAI BASETEN CEREBRAS CHUTES CLAUDE CODESTRAL COHERE DASHSCOPE DEEPINFRA DEEPSEEK FIREWORKS
  GEMINI GLAMA GLM GOOGLE_GENERATIVE GROQ HF HUGGINGFACE HUGGING_FACE HYPERBOLIC INCEPTION KILO KIMI LITELLM LLAMACPP LMSTUDIO
  LM_STUDIO MINIMAX MISTRAL MOONSHOT NEBIUS NVIDIA OLLAMA OPENAI OPENROUTER PERPLEXITY QWEN REPLICATE REQUESTY ROO SAMBANOVA
  SILICONFLOW TOGETHER TOGETHERAI UNBOUND VERCEL_AI_GATEWAY VOYAGE XAI ZAI ZHIPU ZHIPUAI
`
  .trim()
  .split(/\s+/)

const MODEL_KEY = new RegExp(`^(?:${MODEL_VENDORS.join("|")})_(?:\\w+_)?(?:KEYS?|APIKEY|TOKEN|SECRET|PASSWORD)$`, "i")
const OWN = /^(?:JOEY_.*|GOOGLE_API_KEY|AWS_BEARER_TOKEN_BEDROCK)$/i
/** A start through npm tells these about us, not about the project. Forced colours are noise to a model. */
const MISLEADING =
  /^(?:npm_(?:lifecycle|package|execpath|node_execpath|command|config_local_prefix)|INIT_CWD$|FORCE_COLOR$|CLICOLOR_FORCE$)/

const UNATTENDED: Record<string, string> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  AWS_PAGER: "",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  TERM: "dumb",
  PYTHONUNBUFFERED: "1", // what a killed program printed is not lost in its buffer
}

/** `withheld` names further variables that hold our keys. */
export function childEnvironment(ours: NodeJS.ProcessEnv, withheld: readonly string[] = []): NodeJS.ProcessEnv {
  const theirs: NodeJS.ProcessEnv = {}
  for (const [name, value] of Object.entries(ours)) {
    if (!isOurKey(name) && !withheld.includes(name) && !MISLEADING.test(name)) theirs[name] = value
  }
  return Object.assign(theirs, UNATTENDED)
}

export function isOurKey(name: string): boolean {
  return OWN.test(name) || MODEL_KEY.test(name)
}
