'use strict';
(function () {
  function each(selector, act) {
    Array.prototype.forEach.call(document.querySelectorAll(selector), act);
  }
  function open(element) {
    for (var e = element; e; e = e.parentElement) {
      if (e.tagName === 'DETAILS') e.open = true;
    }
  }
  /* An arrow that is pointed at lights its step in the list, and the panel shows the reason of the step. */
  each('.arrow', function (arrow) {
    var step = document.getElementById(arrow.getAttribute('data-step'));
    if (!step) return;
    var panel = step.closest('.finding').querySelector('.panel');
    function light(on) {
      step.classList.toggle('lit', on);
      each('[data-step="' + step.id + '"]', function (twin) { twin.classList.toggle('lit', on); });
      if (on && panel) {
        var why = step.querySelector('.why');
        panel.textContent = arrow.getAttribute('aria-label') + (why ? '. Why: ' + why.textContent : '');
      }
    }
    function go() {
      var reason = step.querySelector('details');
      if (reason) reason.open = true;
      step.scrollIntoView({block: 'nearest'});
    }
    arrow.addEventListener('mouseenter', function () { light(true); });
    arrow.addEventListener('mouseleave', function () { light(false); });
    arrow.addEventListener('focus', function () { light(true); });
    arrow.addEventListener('blur', function () { light(false); });
    arrow.addEventListener('click', go);
    arrow.addEventListener('keydown', function (event) {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        go();
      }
    });
  });
  each('[data-copy]', function (button) {
    var label = button.textContent;
    button.addEventListener('click', function () {
      var source = document.getElementById(button.getAttribute('data-copy'));
      function say(word) {
        button.textContent = word;
        setTimeout(function () { button.textContent = label; }, 1500);
      }
      function select() {
        var range = document.createRange();
        range.selectNodeContents(source);
        var selection = getSelection();
        selection.removeAllRanges();
        selection.addRange(range);
        say(document.execCommand('copy') ? 'Copied' : 'Selected');
      }
      if (navigator.clipboard) {
        navigator.clipboard.writeText(source.textContent).then(function () { say('Copied'); }, select);
      } else {
        select();
      }
    });
  });
  /* A link into a folded reason unfolds it. */
  function unfold() {
    var target = location.hash && document.getElementById(location.hash.slice(1));
    if (target) {
      open(target);
      target.scrollIntoView();
    }
  }
  addEventListener('hashchange', unfold);
  unfold();
})();
