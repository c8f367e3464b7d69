// Settings of the server that are a plug-in's now, by their earlier names, which are taken as
// before.

export const movedSettings: { readonly [earlier: string]: string } = {
  modelSilenceMsMax: 'plugin.models.silenceMsMax',
};
