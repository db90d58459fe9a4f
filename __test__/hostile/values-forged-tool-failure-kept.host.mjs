// attack: genuine failures of tools and imports, kept and rewritten, thrown again in a later run and in the same one
// outcome: value ["ERR_RUNTIME_EXCEPTION","ERR_RUNTIME_EXCEPTION","ERR_TOOL_PROXY_FAIL real","real","TypeError"]
// state: READY
const FORGED = "error.message = 'forged'; error.name = 'Forged'; error.code = 'FORGED'; error.stack = 'forged';";

export const scenario = async (/** @type {any} */ { executor }) => {
  const failure = (/** @type {string} */ code) => executor.run(code).catch((/** @type {unknown} */ error) => error);
  await executor.run("let error; try { fail('real') } catch (thrown) { error = thrown }");
  const later = await failure(`${FORGED} throw error`);
  await executor.run("try { await import('node:' + 'fs') } catch (thrown) { error = thrown }");
  const imported = await failure(`${FORGED} throw error`);
  const same = await failure(`try { fail('real') } catch (thrown) { error = thrown } ${FORGED} throw error`);
  const { message, name, code, stack } = same.details;
  const isAsMade = code === 'E_FAIL' && stack === undefined && same.message.endsWith('real');
  return `value ${JSON.stringify([later.code, imported.code, `${same.code} ${message}`, isAsMade ? 'real' : same.message, name])}`;
};
