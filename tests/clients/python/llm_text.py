"""llm, with the class of the models that its configuration marks with completion: true."""

from llm.default_plugins.openai_models import Completion

from llm_kit import serve_class

serve_class(Completion)
